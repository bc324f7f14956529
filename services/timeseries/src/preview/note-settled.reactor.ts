import { type Bus, consumeBatches, durables, type EventMessage, type Running } from '@almanac/bus';
import { type ArchiveState, archiveState, DomainError } from '@almanac/contracts';
import { atOnce, type Logger } from '@almanac/runtime';
import { type KnownMarket, knownMarket, type KnownStates } from '../known-market.js';
import { type DueMarkets, RedisAway } from './due-markets.js';

export interface NoteSettledParts {
  readonly bus: Bus;
  readonly states: KnownStates;
  readonly due: DueMarkets;
  readonly log: Pick<Logger, 'warn' | 'debug'>;
  /** Markets whose last observation is older are left to their first reader. */
  readonly agoMsMax: number;
}

const batchMax = 500;
const asksAtOnce = 16;
/** Data comes in batches, and a result with its settlement: a market is left until nothing has changed for so long. */
export const quietMs = 3_000;
/** A live market is noted only when its close is so near: it is observed again before that, or its result will tell. */
const nearCloseMs = 3_600_000;

/**
 * Hears of every change of a market's data, and notes when its preview is to be prepared: soon if it is over, after its
 * close if that is near. Old data costs nothing but the reading of its events, so that an import of a whole archive
 * neither floods ClickHouse nor drives out of memory what readers ask for.
 */
export const noteSettled = (parts: NoteSettledParts): Promise<Running> =>
  consumeBatches<ArchiveState>(parts.bus, {
    stream: 'EVT_ARCHIVE',
    durable: durables.timeseriesSettled,
    state: archiveState,
    batchMax,
    onFailure: (error, { subject, seq }, next) => {
      // Health tells of it already, once.
      const level = error instanceof RedisAway ? 'debug' : 'warn';
      parts.log[level]({ err: error, subject, seq, next }, 'a market was not noted for its preview');
    },
    handle: (messages) => note(parts, messages),
  });

const note = async (parts: NoteSettledParts, messages: readonly EventMessage<ArchiveState>[]): Promise<void> => {
  const nowMs = Date.now();
  const oldestUs = (nowMs - parts.agoMsMax) * 1_000;
  const recent = messages.filter(({ event: { state } }) => state.max_us !== null && state.max_us >= oldestUs);
  const tickers = [...new Set(recent.map(({ event: { state } }) => state.ticker))];
  const due = new Map<string, number>();
  await atOnce(tickers, asksAtOnce, async (ticker) => {
    const atMs = await dueMsOf(parts, ticker, nowMs);
    if (atMs !== undefined) due.set(ticker, atMs);
  });
  const refused = await parts.due.add(due);
  if (refused > 0) parts.log.warn({ refused }, 'too many markets settled at once; their first readers will wait');
};

const dueMsOf = async (
  { states }: Pick<NoteSettledParts, 'states'>,
  ticker: string,
  nowMs: number,
): Promise<number | undefined> => {
  try {
    return dueMs(await knownMarket(states, ticker, nowMs * 1_000), nowMs);
  } catch (error) {
    // Observed before the catalogue knows of it: its entry will be told as a change of its own.
    if (error instanceof DomainError && error.code === 'market_not_found') return undefined;
    throw error;
  }
};

/** When a market's preview is to be prepared, undefined where nothing is to be done now. */
export const dueMs = ({ times: { live, closeUs } }: Pick<KnownMarket, 'times'>, nowMs: number): number | undefined => {
  if (!live) return nowMs + quietMs;
  if (closeUs === null || closeUs / 1_000 > nowMs + nearCloseMs) return undefined;
  return closeUs / 1_000 + quietMs;
};
