import type { RpcContext } from '@almanac/bus/server';
import { type ClickHouse, insertSelect, marketsOfCoin, rows } from '@almanac/clickhouse';
import { type coinPricesRpc, dayUs, DomainError, type InputOf, type OutputOf } from '@almanac/contracts';
import type { DataChange } from '@almanac/event-store';
import { z } from 'zod';
import type { Announcements } from '../observations/announcements.js';
import { refusal } from '../observations/refusal.js';
import { changesSql, joinedColumns, joinedRows, tickersSql } from './join-sql.js';

export interface CoinDeps {
  readonly clickhouse: ClickHouse;
  readonly announcements: Announcements;
}

/** A day of prices is in memory while a part is joined, and the rows of so many markets pass through it. */
const marketsMax = 100;

const named = z.object({ ticker: z.string() }).transform(({ ticker }) => ticker);
const change = z
  .object({ ticker: z.string(), rows: z.int(), min_us: z.coerce.number(), max_us: z.coerce.number() })
  .transform((counted): DataChange => ({ ...counted, cause: 'observations' }));

/**
 * Stores the rows of a part of the coin's markets again, with the last price at or before each, and records a data change for
 * each market. A row with a coin price of its own source stays. The result does not depend on what came first, the rows or
 * the prices, and the prices of a later import may be closer to the rows.
 */
export const joinCoinPrices = async (
  { clickhouse, announcements }: CoinDeps,
  { coin, from_us, to_us, after }: InputOf<typeof coinPricesRpc.joinCoinPrices>,
  { signal, remainingMs }: Pick<RpcContext, 'signal' | 'remainingMs'>,
): Promise<OutputOf<typeof coinPricesRpc.joinCoinPrices>> => {
  if (to_us - from_us > dayUs) throw new DomainError('invalid_input', 'Join at most a day of coin prices at once.');
  const { sql, params } = marketsOfCoin(coin);
  const window = { coin, from_us, to_us };
  const limited = { sql: tickersSql(sql), params: { ...params, ...window, after, limit: marketsMax }, signal };
  const tickers = await rows(clickhouse, limited, named);
  const next = tickers.length < marketsMax ? null : (tickers.at(-1) ?? null);
  if (tickers.length === 0) return { markets: [], next };
  const these = { ...window, tickers };
  const changes = await rows(clickhouse, { sql: changesSql, params: these, signal }, change);
  if (changes.length > 0)
    await storeJoined({ clickhouse, announcements }, { changes, params: these, signal, remainingMs });
  return { markets: changes.map(({ ticker, rows: changed }) => ({ ticker, rows: changed })), next };
};

interface Joined extends Pick<RpcContext, 'signal' | 'remainingMs'> {
  readonly changes: readonly DataChange[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** The note comes first, so that rows whose process dies before their events are announced by another one. */
const storeJoined = async (
  { clickhouse, announcements }: CoinDeps,
  { changes, params, signal, remainingMs }: Joined,
): Promise<void> => {
  const refused = (cause: unknown): never => {
    throw refusal(cause);
  };
  const batch = await announcements.open(changes).catch(refused);
  const insert = { table: 'snapshots', columns: joinedColumns, select: joinedRows, params, signal };
  await insertSelect(clickhouse, insert).catch(refused);
  await announcements.announce(changes, () => Math.max(1, remainingMs));
  announcements.close(batch);
};
