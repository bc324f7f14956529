import { type ClickHouse, rowsInBackground } from '@almanac/clickhouse';
import { isEngineFormat } from '@almanac/contracts';
import { z } from 'zod';
import { IncompleteFileError } from './classify-errors.js';
import type { FileQuery } from './file-selection.js';
import { marketStatsSql } from './market-stats-sql.js';
import { gapsOf, marketCoverage, type RecordingGaps } from './recording-gaps.js';
import { hasRows } from './row-columns.js';

const marketStats = marketCoverage.extend({ has_life: z.boolean(), stored: z.int() });
type MarketStats = z.output<typeof marketStats>;

/** The markets and rows that a file must have. A market's `rows` is null if it grew during the stream. */
export interface RowCounts {
  readonly markets: readonly { readonly ticker: string; readonly rows: number | null }[];
  readonly rows: number;
  readonly hasEmpty: boolean;
}

/** Everything about a file that is read before its rows. */
export interface FileStats {
  readonly counts: RowCounts;
  readonly missed: RecordingGaps;
}

export interface FileStatsQuery {
  readonly exportQuery: FileQuery;
  /** The time that decides which markets are live, integer microseconds. */
  readonly nowUs: number;
}

/** One statement reads the counts and the gaps, since a statement costs a small file more than its rows. */
export const readFileStats = async (
  clickhouse: ClickHouse,
  query: FileStatsQuery,
  signal: AbortSignal,
): Promise<FileStats> => {
  const { exportQuery } = query;
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const statement = { ...marketStatsSql(exportQuery), settings, signal };
  const found = byMarket(await rowsInBackground(clickhouse, statement, marketStats));
  // An event can announce a market before the catalogue's tables contain it.
  if (found.length < tickersOf(exportQuery).length) throw new IncompleteFileError('its market cannot be read yet');
  // A market without observations has one row, and so has each market of a file without observations. Files of engines
  // have only events.
  const rowsMin = isEngineFormat(exportQuery.format) ? 0 : 1;
  const markets = found.map(({ ticker, stored }) => ({ ticker, rows: Math.max(stored, rowsMin) }));
  const counts = {
    markets,
    rows: markets.reduce((sum, { rows }) => sum + rows, 0),
    hasEmpty: rowsMin > 0 && hasRows(exportQuery) && found.some(({ stored }) => stored === 0),
  };
  return { counts, missed: gapsOf(found, query) };
};

/** One row of stats for each market of the file, by ticker. */
const byMarket = (stats: readonly MarketStats[]): MarketStats[] => {
  const markets = new Map(stats.filter(({ has_life }) => has_life).map((life) => [life.ticker, life]));
  for (const { ticker, has_life, stored, first_us, last_us, spans } of stats) {
    const market = markets.get(ticker);
    if (market === undefined || has_life) continue;
    market.stored += stored;
    market.first_us ??= first_us;
    market.last_us ??= last_us;
    if (spans.length > 0) market.spans = spans;
  }
  return [...markets.values()].toSorted((a, b) => (a.ticker < b.ticker ? -1 : 1));
};

const tickersOf = ({ ticker, tickers, markets }: FileQuery): readonly string[] =>
  markets ?? tickers ?? (ticker === null ? [] : [ticker]);

/**
 * Compares the streamed rows with a separate count(). Rows are only ever added, so a market under capture has at least
 * the rows counted before the stream and at most those counted after it. Usually nothing changes, and one count is
 * enough.
 */
export const verifyRowCount = async (
  streamed: number,
  before: RowCounts,
  countAgain: () => Promise<RowCounts>,
): Promise<RowCounts['markets']> => {
  if (streamed === before.rows) return before.markets;
  const after = streamed > before.rows ? await countAgain() : before;
  if (streamed > after.rows || streamed < before.rows) {
    throw new IncompleteFileError(`the file has ${streamed} rows, a count ${before.rows} to ${after.rows}`);
  }
  const then = new Map(after.markets.map(({ ticker, rows: counted }) => [ticker, counted]));
  // With as many rows as were counted after the stream, the file has all of them.
  const isExact = streamed === after.rows && after.markets.length === before.markets.length;
  return before.markets.map(({ ticker, rows: counted }) => {
    const later = then.get(ticker) ?? null;
    return { ticker, rows: isExact || later === counted ? later : null };
  });
};
