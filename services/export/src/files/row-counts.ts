import { type ClickHouse, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { type FileQuery, rowCountsSql } from './file-sql.js';
import { IncompleteFileError } from './classify-errors.js';

const flag = z.literal([0, 1]).transform((set) => set === 1);
const counts = z.object({ ticker: z.string(), rows: z.int(), is_empty: flag });

/** The markets and rows that a file must have. A market's `rows` is null if it grew during the stream. */
export interface RowCounts {
  readonly markets: readonly { readonly ticker: string; readonly rows: number | null }[];
  readonly rows: number;
  readonly hasEmpty: boolean;
}

export const countRows =
  (clickhouse: ClickHouse, exportQuery: FileQuery, signal: AbortSignal) => async (): Promise<RowCounts> => {
    const found = await rows(clickhouse, { ...rowCountsSql(exportQuery), signal }, counts);
    // An event can announce a market before the catalogue's tables contain it.
    if (found.length < tickersOf(exportQuery).length) throw new IncompleteFileError('its market cannot be read yet');
    return {
      markets: found.map(({ ticker, rows: counted }) => ({ ticker, rows: counted })),
      rows: found.reduce((sum, market) => sum + market.rows, 0),
      hasEmpty: found.some(({ is_empty }) => is_empty),
    };
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
  rowCounts: () => Promise<RowCounts>,
): Promise<RowCounts['markets']> => {
  if (streamed === before.rows) return before.markets;
  const after = streamed > before.rows ? await rowCounts() : before;
  if (streamed > after.rows || streamed < before.rows) {
    throw new IncompleteFileError(`the file has ${streamed} rows, a count ${before.rows} to ${after.rows}`);
  }
  const then = new Map(after.markets.map(({ ticker, rows: counted }) => [ticker, counted]));
  return before.markets.map(({ ticker, rows: counted }) => ({
    ticker,
    rows: then.get(ticker) === counted ? counted : null,
  }));
};
