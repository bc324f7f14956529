import { type FileQuery, type Selection, selectionOf, type Statement } from './file-sql.js';
import { hasRows, rowSources, storedRows } from './row-columns.js';

const bounds = 'toUnixTimestamp64Micro(min(ts)) AS first_us, toUnixTimestamp64Micro(max(ts)) AS last_us';

/**
 * Per market: the rows that it must have, whether one row stands for no observations, and what its gaps follow from: its
 * life, its recorded spans, and for a market without spans the bounds of its observations.
 */
export const marketFactsSql = (exportQuery: FileQuery): Statement => {
  const selection = selectionOf(exportQuery);
  const { markets, tickers, params } = selection;
  const { stored, joined } = countsWithBounds(exportQuery, selection);
  const sql = `SELECT ticker, greatest(${stored}, 1) AS rows, ${stored} = 0 AS is_empty, open_us, close_us, spans,
  nullIf(observed.first_us, 0) AS first_us, nullIf(observed.last_us, 0) AS last_us
FROM (SELECT ticker, open_us, close_us FROM markets FINAL WHERE ${markets}) AS chosen
LEFT JOIN (
  SELECT ticker, groupArray((layer, start_us, end_us, tolerance_us, end_reason)) AS spans
  FROM recorded_spans FINAL WHERE ${tickers} GROUP BY ticker
) AS recorded USING (ticker)
${joined}
ORDER BY ticker SETTINGS output_format_json_quote_64bit_integers = 0`;
  return { sql, params };
};

/** The bounds are read with the counts if these count all observations, and otherwise only for markets without spans. */
const countsWithBounds = (exportQuery: FileQuery, selection: Selection): { stored: string; joined: string } => {
  const { tickers, observations } = selection;
  const sources = hasRows(exportQuery) ? rowSources(exportQuery, selection) : [];
  if (sources.length === 1 && sources[0]?.table === 'snapshots' && observations === tickers) {
    const counted = `SELECT ticker, count() AS stored, ${bounds} FROM snapshots FINAL WHERE ${tickers} GROUP BY ticker`;
    return { stored: 'observed.stored', joined: `LEFT JOIN (${counted}) AS observed USING (ticker)` };
  }
  const joined = `LEFT JOIN (
  SELECT ticker, ${bounds} FROM snapshots
  WHERE ${tickers} AND ticker NOT IN (SELECT ticker FROM recorded_spans WHERE ${tickers}) GROUP BY ticker
) AS observed USING (ticker)`;
  if (sources.length === 0) return { stored: '1', joined };
  const counted = storedRows(sources, 'ticker', 'ticker');
  return { stored: 'counted.stored', joined: `${joined}\nLEFT JOIN (${counted}) AS counted USING (ticker)` };
};
