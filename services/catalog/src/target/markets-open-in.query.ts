import { isValidId } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { marketsAsOf, wasOpen } from '@almanac/clickhouse';
import { asOfField, type catalogRpc, type InputOf, type OutputOf, readTimeOf } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { z } from 'zod';
import { idSourcesOf } from '../nearest/nearest-id.js';
import type { CatalogDeps } from '../catalog-deps.js';
import { unknownValues } from '../nearest/unknown-values.js';
import { readRows } from '../tables/read-rows.js';

type Input = InputOf<typeof catalogRpc.marketsOpenIn>;
type Output = OutputOf<typeof catalogRpc.marketsOpenIn>;

/** The markets of a series, an event, a category or a venue that were open in a time, as they are or as of a time. */
export const answerMarketsOpenIn = (deps: CatalogDeps, input: Input, context: RpcContext): Promise<Output> =>
  deps.slots.run(context, async () => {
    const { signal } = context;
    const { asOfUs } = readTimeOf(input.as_of);
    const tickers = await tickersOf(deps, input, asOfUs, signal);
    // A notice would name what is known now.
    const isUnknown = tickers.length === 0 && asOfUs === null;
    const [notice] = isUnknown ? await unknownValues(idSourcesOf(deps), input, { nowUs: unixMicros(), signal }) : [];
    const unknown = notice === undefined ? null : { detail: notice.detail, nearest: notice.nearest };
    return { tickers, unknown, ...asOfField(asOfUs) };
  });

const columnOf = ({ series, event, category, venue }: Pick<Input, 'series' | 'event' | 'category' | 'venue'>) => {
  if (event) return { column: 'event_ticker', id: event };
  if (series) return { column: 'series', id: series };
  return category ? { column: 'category', id: category } : { column: 'venue', id: venue ?? '' };
};

const row = z.object({ ticker: z.string() }).transform(({ ticker }) => ticker);

const tickersOf = async (
  { sources: { clickhouse } }: Pick<CatalogDeps, 'sources'>,
  { start_us, end_us, limit, ...target }: Input,
  asOfUs: number | null,
  signal: AbortSignal,
): Promise<string[]> => {
  const { column, id } = columnOf(target);
  if (!isValidId(id)) return [];
  // Outdated rows may match too. The newest row of each of these few decides. What was known earlier may match where the
  // present does not.
  const named = `${column} = {id:String}`;
  const candidates = (matching: string): string =>
    `${named} AND ticker IN (SELECT ticker FROM markets WHERE ${matching})`;
  const table =
    asOfUs === null
      ? `markets FINAL WHERE ${candidates(`${named} AND ${wasOpen}`)} AND ${wasOpen}`
      : `${marketsAsOf('{as_of_us:Int64}', candidates(named))} AS past WHERE ${wasOpen}`;
  const sql = `SELECT ticker FROM ${table} ORDER BY ticker LIMIT {limit:UInt32}`;
  const params = { id, from_us: start_us, to_us: end_us, limit, as_of_us: asOfUs ?? 0 };
  return readRows(clickhouse, { sql, params, signal }, row);
};
