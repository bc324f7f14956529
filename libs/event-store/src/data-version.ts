import { randomUUID } from 'node:crypto';
import { archiveState, type ArchiveState } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { type Decider, execute } from './decider.js';
import type { EventStore, VersionedState } from './event-store.js';

/**
 * A change of a market's data: a stored batch, or its entry in the catalogue (0 rows, no times). A batch of trades or
 * venue candles has no times either, because the bounds are those of observations.
 */
export interface DataChange {
  readonly ticker: string;
  readonly cause: 'observations' | 'trades' | 'candles' | 'catalogue';
  readonly rows: number;
  readonly min_us: number | null;
  readonly max_us: number | null;
}

type MarketDataChanged = { readonly type: 'MarketDataChanged'; readonly data: Omit<DataChange, 'ticker'> };

const pick = (choose: (...values: number[]) => number, a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : choose(a, b);

/** The data version of a market. Every change increments it, and the bounds only grow. */
export const dataVersionDecider = (
  ticker: string,
): Decider<ArchiveState, Omit<DataChange, 'ticker'>, MarketDataChanged> => ({
  state: archiveState,
  decide: ({ cause, rows, min_us, max_us }) => ({ type: 'MarketDataChanged', data: { cause, rows, min_us, max_us } }),
  evolve: (state, { data }) => ({
    ...state,
    ticker,
    version: (state?.version ?? 0) + 1,
    min_us: pick(Math.min, state?.min_us ?? null, data.min_us),
    max_us: pick(Math.max, state?.max_us ?? null, data.max_us),
  }),
});

export interface DataChangeOptions {
  readonly id?: string;
  readonly timeoutMs?: number;
  /** A recent state of the market, which saves a read. Not with a change that has its own id. */
  readonly cachedState?: VersionedState<ArchiveState> | undefined;
}

/**
 * Appends MarketDataChanged. Call it when the change can be queried. `id` makes a repeated call harmless if the
 * change has its own id (a UUID or any text that is unique in EVT_ARCHIVE).
 */
export const recordDataChange = async (
  store: EventStore,
  subject: string,
  change: DataChange,
  { id = randomUUID(), timeoutMs = 10_000, cachedState }: DataChangeOptions = {},
): Promise<ArchiveState> => {
  const { ticker, ...command } = change;
  const known = cachedState === undefined ? {} : { cachedState };
  const decision = { subject, command, id, account: null, time: unixMicros(), timeoutMs, ...known };
  const outcome = await execute(store, dataVersionDecider(ticker), decision);
  if (outcome === undefined) throw new Error(`a data change of ${ticker} left no state`);
  return outcome.state;
};
