/**
 * A subquery instead of `markets FINAL`: the markets that were listed by a time, with their columns as they were known then, as
 * `marketAsOf` of the contracts has them. `asOf` is an SQL expression of microseconds. `where` is a condition on the columns that
 * never change with time, such as `ticker` and `series`.
 */
export const marketsAsOf = (asOf: string, where = '1'): string => {
  const last = (field: string): string => `arrayLast(version -> version.1 <= ${asOf}, ${field}_versions).2`;
  const columns = [
    'ticker, series, event_ticker, category, category_label, venue, strike_type, event_words, series_words',
    "'' AS capture",
    `ifNull(${last('title')}, '') AS title`,
    ...['venue_status', 'result', 'open_us', 'close_us', 'settlement_us'].map((field) => `${last(field)} AS ${field}`),
    ...['floor_strike', 'coin_price_start', 'expiration_value'].map(
      (field) => `toDecimal64OrNull(${last(field)}, 8) AS ${field}`,
    ),
    // The first has no knowledge time, and the second is only in the detail of a market.
    ...['coin_price_end', 'settlement_value'].map((field) => `CAST(NULL AS Nullable(Decimal(18, 8))) AS ${field}`),
    `ifNull(${last('words')}, '') AS words`,
  ];
  return `(SELECT *, ${closeKey} AS close_key, CAST(isNotNull(result) OR isNotNull(settlement_us), 'Bool') AS known
    FROM (SELECT ${columns.join(', ')} FROM markets FINAL WHERE ${where} AND ifNull(listed_us <= ${asOf}, false)))`;
};

/** As the column of the same name. */
const closeKey = `ifNull(close_us, if(ifNull(venue_status, '') IN ('open', 'active'), ${Number.MAX_SAFE_INTEGER}, -1))`;
