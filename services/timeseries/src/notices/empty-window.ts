import type { ReadCaller } from '@almanac/runtime';
import { isoOf, type Notice } from '@almanac/contracts';
import { z } from 'zod';
import { receivedEndUs } from '../as-of/received.js';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { rowUs, storedRows, storedTrades } from '../stored-rows.js';
import { latestUs } from '../window/window.js';

interface Bounds {
  readonly startUs: number;
  /** Exclusive. */
  readonly endUs: number;
}

export interface EmptyWindow extends Bounds {
  readonly market: Pick<MarketContext, 'state' | 'asOfUs' | 'stored'>;
  readonly of: keyof typeof tables;
}

const tables = { observation: storedRows, trade: storedTrades } as const;

/** Params: ticker, start_us, end_us, received_end_us (no later row counts). */
const nearestSql = (table: string): string => {
  const one = (condition: string, order: 'ASC' | 'DESC'): string =>
    `SELECT ts FROM ${table} WHERE ticker = {ticker:String} AND ${condition} ORDER BY ts ${order} LIMIT 1`;
  const time = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;
  const before = `ts < least(${time('start_us')}, ${time('received_end_us')})`;
  const after = `ts >= ${time('end_us')} AND ts < ${time('received_end_us')}`;
  return `SELECT ${rowUs} AS us FROM (
  SELECT * FROM (${one(before, 'DESC')}) UNION ALL SELECT * FROM (${one(after, 'ASC')})
)
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;
};

const nearestRow = z.object({ us: z.int() });

/** The notice on an answer without rows, which names the rows before and after its window. */
export const emptyWindowNotice = async (
  rows: Pick<ArchiveRows, 'parsed'>,
  { market, startUs, endUs, of }: EmptyWindow,
  caller: ReadCaller,
): Promise<Notice> => {
  const params = {
    ticker: market.state.ticker,
    start_us: startUs,
    end_us: Math.min(endUs, latestUs),
    received_end_us: Math.min(receivedEndUs(market), latestUs),
  };
  const known = of === 'observation' ? knownTimes(market, { startUs, endUs }) : undefined;
  const found = known ?? (await rows.parsed({ sql: nearestSql(tables[of]), params }, nearestRow, caller));
  const times = found.map(({ us }) => us).toSorted((a, b) => a - b);
  return noticeOfEmpty(of, { startUs, endUs }, times);
};

/** The first and the last row of a market are known without a query. Undefined for a window between them. */
const knownTimes = (
  { stored, asOfUs }: EmptyWindow['market'],
  { startUs, endUs }: Bounds,
): readonly z.output<typeof nearestRow>[] | undefined => {
  if (stored === null || (asOfUs !== null && stored.minUs > asOfUs)) return [];
  if (stored.minUs >= endUs) return [{ us: stored.minUs }];
  return stored.maxUs < startUs && asOfUs === null ? [{ us: stored.maxUs }] : undefined;
};

/** `foundUs` are the times of the last row before the window and of the first one after it, as far as they exist. */
export const noticeOfEmpty = (
  of: EmptyWindow['of'],
  { startUs, endUs }: Bounds,
  foundUs: readonly number[],
  whose = 'this market',
): Notice => {
  const beforeUs = foundUs.find((us) => us < startUs);
  const afterUs = foundUs.find((us) => us >= endUs);
  const sentences = [
    ...(beforeUs === undefined
      ? []
      : [`The last one before is at ${isoOf(beforeUs)}, ${lengthOf(startUs - beforeUs)} earlier.`]),
    ...(afterUs === undefined
      ? []
      : [`The first one after is at ${isoOf(afterUs)}, ${lengthOf(afterUs - endUs)} later.`]),
  ];
  const isBeforeNearer = beforeUs !== undefined && (afterUs === undefined || startUs - beforeUs < afterUs - endUs);
  const nearestUs = isBeforeNearer ? beforeUs : afterUs;
  const detail =
    sentences.length === 0
      ? `No ${of} of ${whose} is stored.`
      : `No ${of} is stored in this window. ${sentences.join(' ')}`;
  return {
    code: 'window_empty',
    detail,
    loc: ['query', 'start_ts'],
    nearest: nearestUs === undefined ? null : String(nearestUs / 1e6),
  };
};

const minute = 60;
const hour = 3_600;
const day = 86_400;

/** Rounded, such as `4 h` or `2.5 days`. */
const lengthOf = (us: number): string => {
  const seconds = us / 1e6;
  const rounded = (unit: number): number => Number((seconds / unit).toFixed(1));
  if (seconds < minute) return `${rounded(1)} s`;
  if (seconds < hour) return `${rounded(minute)} min`;
  return seconds < 2 * day ? `${rounded(hour)} h` : `${rounded(day)} days`;
};
