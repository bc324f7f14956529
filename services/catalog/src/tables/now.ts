/**
 * The tables as they are at `{now_us:Int64}`, as sub-queries. Statuses are computed where they are read, since a close
 * that passes is no event.
 *
 * `close_key` orders markets by their close where it may be unknown: such a market comes first while the venue says
 * that it is open, else last. `has_no_strike` and `strike_key` order them by strike, those without one last. No name stands
 * for two things: ClickHouse would take the one for the other.
 */
export const marketsNow = `(
  SELECT *,
    if(isNull(close_us), ifNull(venue_status, '') IN ('open', 'active'), close_us > {now_us:Int64}) AS live,
    multiIf(live, 'live', isNotNull(result) OR isNotNull(settlement_us), 'finalized', 'closed') AS status,
    ifNull(close_us, if(live, toInt64(${Number.MAX_SAFE_INTEGER}), toInt64(-1))) AS close_key,
    isNull(floor_strike) AS has_no_strike, assumeNotNull(ifNull(floor_strike, toDecimal64(0, 8))) AS strike_key
  FROM markets FINAL
)`;

/** Which things figures are made of: conditions on the table itself and on the markets counted. */
export interface Scope {
  readonly things: string;
  readonly markets: string;
}

export const everything: Scope = { things: '1', markets: '1' };

const statusOfCounts = `multiIf(markets_n = 0, '', live_n > 0, 'live', finalized_n = markets_n, 'finalized', 'closed')`;

/** Series with their figures; `matching_n` and `matching_events_n` count what closes in the window. */
export const seriesNow = (window = '1', { things, markets }: Scope = everything): string => `(
  SELECT *, ${statusOfCounts} AS status
  FROM (SELECT * FROM series FINAL WHERE ${things}) AS s
  ANY LEFT JOIN (
    SELECT series AS id, count() AS markets_n, countIf(live) AS live_n, countIf(status = 'finalized') AS finalized_n,
      countIf(${window}) AS matching_n, uniqExactIf(event_ticker, event_ticker != '' AND ${window}) AS matching_events_n,
      argMaxIf(title, close_key, title != '') AS sample_title, minIf(close_us, live) AS next_close_us,
      maxIf(close_us, NOT live) AS last_close_us, min(open_us) AS min_open_us, max(close_us) AS newest_close_us,
      max(close_key) AS newest_close_key
    FROM ${marketsNow} WHERE series != '' AND ${markets} GROUP BY series
  ) AS m USING (id)
  ANY LEFT JOIN (
    SELECT series AS id, count() AS events_n FROM events FINAL WHERE series != '' GROUP BY series
  ) AS e USING (id)
)`;

/** Events with the figures of their markets; `matching_n` counts what closes in the window. */
export const eventsNow = (window = '1', { things, markets }: Scope = everything): string => `(
  SELECT *, ${statusOfCounts} AS status
  FROM (SELECT * FROM events FINAL WHERE ${things}) AS e
  ANY LEFT JOIN (
    SELECT event_ticker, count() AS markets_n, countIf(live) AS live_n, countIf(status = 'finalized') AS finalized_n,
      countIf(${window}) AS matching_n, countIf(isNotNull(floor_strike)) AS strikes_n,
      min(open_us) AS min_open_us, max(close_us) AS newest_close_us, max(close_key) AS newest_close_key
    FROM ${marketsNow} WHERE event_ticker != '' AND ${markets} GROUP BY event_ticker
  ) AS m USING (event_ticker)
)`;

/** A market's columns as `marketState` has them: an empty text is an unknown one, a decimal is text. */
export const marketColumns = `
  ticker, nullIf(series, '') AS series, nullIf(event_ticker, '') AS event_ticker, nullIf(title, '') AS title,
  nullIf(category, '') AS category, nullIf(category_label, '') AS category_label, nullIf(capture, '') AS capture,
  venue_status, result, strike_type, open_us, close_us, settlement_us, toString(floor_strike) AS floor_strike,
  toString(coin_price_start) AS coin_price_start, toString(coin_price_end) AS coin_price_end,
  toString(expiration_value) AS expiration_value`;
