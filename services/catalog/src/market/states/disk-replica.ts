import type { EventMessage } from '@almanac/bus';
import type { MarketState } from '@almanac/contracts';
import type { VersionedState } from '@almanac/event-store';
import type { Progress, MarketStateFile } from './market-state-file.js';

/** An event read from the stream, and its market if it has one. */
export interface ReadEvent {
  readonly event: Progress['last'];
  readonly market: VersionedState<MarketState> | undefined;
}

type ReplicaState = 'unknown' | 'growing' | 'complete' | 'failed';

/** A replica of the stream's latest states on disk, from recorded events and then from followed ones. */
export type DiskReplica = ReturnType<typeof diskReplica>;

/** Followed states are written together at this interval. */
const writeMs = 50;
/** Rows per write. 500 take 5 ms, during which the process answers nothing. */
export const batchMax = 500;

export const diskReplica = (disk: MarketStateFile, onFailed: (error: unknown) => void) => {
  let state: ReplicaState = 'unknown';
  let last: Progress['last'] = { seq: 0, eventId: '' };
  let readSeq = 0;

  const fail = (error: unknown): void => {
    state = 'failed';
    onFailed(error);
  };

  const write = (): void => {
    waiting.schedule(false);
    if (waiting.states.size === 0 || state === 'unknown' || state === 'failed') return;
    if (state === 'complete') readSeq = last.seq;
    try {
      disk.put(waiting.states.values(), { readSeq, last });
    } catch (error) {
      fail(error);
    }
    waiting.states.clear();
  };
  const waiting = batchedWrites(write);

  return {
    /** `unknown` until the disk was compared with the stream, `failed` after a failed write. */
    state: (): ReplicaState => state,
    /** All events up to this sequence have been read. */
    readSeq: () => readSeq,
    /** Sequence of the last event that was read or followed. */
    lastSeq: () => last.seq,
    /** The disk belongs to this stream, up to the given position. Writes start here. */
    begin: (from: Progress | undefined) => {
      if (from !== undefined) last = laterOf(last, from.last);
      readSeq = from?.readSeq ?? 0;
      if (state === 'unknown') state = 'growing';
    },
    /** In stream order, starting after `readSeq`. */
    read: (events: readonly ReadEvent[]) => {
      last = events.reduce((latest, { event }) => laterOf(latest, event), last);
      readSeq = events.at(-1)?.event.seq ?? readSeq;
      const markets = events.flatMap(({ market }) => market ?? []);
      disk.put(markets, { readSeq, last });
    },
    /** All events before the first followed event have been read. */
    complete: () => {
      if (state !== 'growing') return;
      state = 'complete';
      write();
    },
    apply: ({ seq, event }: EventMessage<MarketState>) => {
      if (state === 'failed') return;
      waiting.states.set(event.state.ticker, { state: event.state, seq });
      last = laterOf(last, { seq, eventId: event.id });
      waiting.schedule(true);
    },
    /** Throws SQLite's errors. */
    get: (ticker: string): VersionedState<MarketState> | undefined => {
      const apply = waiting.states.get(ticker);
      const stored = disk.get(ticker);
      return apply !== undefined && apply.seq > (stored?.seq ?? 0) ? apply : stored;
    },
    fail,
    close: () => {
      write();
      state = 'failed';
      disk.close();
    },
  };
};

/** Reading and following overlap, so either can be ahead. */
const laterOf = (one: Progress['last'], other: Progress['last']): Progress['last'] =>
  other.seq > one.seq ? other : one;

/** Followed states that are not on disk yet, with the timer of the next write. */
const batchedWrites = (write: () => void) => {
  const states = new Map<string, VersionedState<MarketState>>();
  let timer: NodeJS.Timeout | undefined;
  return {
    states,
    schedule: (hasPending: boolean): void => {
      if (!hasPending) {
        clearTimeout(timer);
        timer = undefined;
      } else if (states.size >= batchMax) write();
      else timer ??= setTimeout(write, writeMs);
    },
  };
};
