import type { EventMessage } from '@almanac/bus';
import type { MarketState } from '@almanac/contracts';
import type { VersionedState } from '@almanac/event-store';
import type { Progress, MarketStateFile } from './market-state-file.js';

/** What is read of the stream: an event, and the market that it tells of, if it does. */
export interface ReadEvent {
  readonly event: Progress['last'];
  readonly market: VersionedState<MarketState> | undefined;
}

type ReplicaState = 'unknown' | 'growing' | 'complete' | 'failed';

/** A copy of the stream's last states on disk while it is made and kept: from what was recorded before, and what is heard. */
export interface DiskReplica {
  /** `unknown` until it was compared with the stream, `failed` from when it could not be written. */
  state(): ReplicaState;
  /** All up to here was read. */
  readSeq(): number;
  /** Of the last event that was read or heard. */
  lastSeq(): number;
  /** What is on disk is of this stream, up to there: from here on it is written. */
  begin(from: Progress | undefined): void;
  /** In their order, from `readSeq` on. */
  read(events: readonly ReadEvent[]): void;
  /** All was read that was recorded before the first event that was heard. */
  complete(): void;
  apply(message: EventMessage<MarketState>): void;
  /** Throws what SQLite throws. */
  get(ticker: string): VersionedState<MarketState> | undefined;
  /** The disk is of no use any more. */
  fail(error: unknown): void;
  close(): void;
}

/** Heard states are stored together, as many as come in this time. */
const writeMs = 50;
/** So many are stored at once, which takes 5 ms in which nobody is answered. */
export const batchMax = 500;

export const diskReplica = (disk: MarketStateFile, onFailed: (error: unknown) => void): DiskReplica => {
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
    state: () => state,
    readSeq: () => readSeq,
    lastSeq: () => last.seq,
    begin: (from) => {
      if (from !== undefined) last = laterOf(last, from.last);
      readSeq = from?.readSeq ?? 0;
      if (state === 'unknown') state = 'growing';
    },
    read: (events) => {
      last = events.reduce((latest, { event }) => laterOf(latest, event), last);
      readSeq = events.at(-1)?.event.seq ?? readSeq;
      const markets = events.flatMap(({ market }) => market ?? []);
      disk.put(markets, { readSeq, last });
    },
    complete: () => {
      if (state !== 'growing') return;
      state = 'complete';
      write();
    },
    apply: ({ seq, event }) => {
      if (state === 'failed') return;
      waiting.states.set(event.state.ticker, { state: event.state, seq });
      last = laterOf(last, { seq, eventId: event.id });
      waiting.schedule(true);
    },
    get: (ticker) => {
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

/** What is read comes behind what is heard, and before it. */
const laterOf = (one: Progress['last'], other: Progress['last']): Progress['last'] =>
  other.seq > one.seq ? other : one;

/** What was heard and is not on disk, and when it is written. */
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
