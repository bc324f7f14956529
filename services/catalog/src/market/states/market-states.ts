import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, type EventMessage, messageAt, readStream, streamState, subjects } from '@almanac/bus';
import { type MarketState, marketState } from '@almanac/contracts';
import type { EventStore, ShownState } from '@almanac/event-store';
import { withJitter } from '@almanac/runtime';
import { z } from 'zod';
import { batchMax, type DiskReplica, diskReplica, type ReadEvent } from './disk-replica.js';
import type { Progress, MarketStateFile } from './market-state-file.js';

export interface MarketStates {
  /**
   * The state of a market after the last event that this process received, or a later one. Before the disk answers, it may be earlier
   * while the stream has no leader (`fromReplica`).
   */
  get(ticker: string): ShownState<MarketState> | undefined | Promise<ShownState<MarketState> | undefined>;
  /** Applies followed events, in order and without gaps. */
  apply(message: EventMessage<MarketState>): void;
  /** Reads the events recorded before following began. Call it when all new events are followed. */
  read(): void;
  /** Null if the disk answers, else the reason. */
  state(): null | string;
  stop(): Promise<void>;
}

export interface MarketStatesDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  /** Undefined: every request reads the stream. */
  readonly disk: MarketStateFile | undefined;
  /** Which markets: those of a partition of the stream. Default 0. */
  readonly partition?: number;
  readonly log: { error(facts: object, message: string): void };
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
}

/**
 * The states of all markets on disk, a replica of the stream's last messages
 * (docs/decisions/024-all-markets-on-disk.md). Until it is complete, requests read the stream. Answers never go back
 * in time: reads from the stream may be ahead of the followed events, so the disk answers only when it has all of
 * them.
 */
export const marketStates = (deps: MarketStatesDeps): MarketStates => {
  const { store, disk, log } = deps;
  const stopping = new AbortController();
  const copy =
    disk &&
    diskReplica(disk, (error) => {
      // The stream has everything, and the next process continues at the file's position.
      stopping.abort();
      log.error(
        { err: error },
        'the file of all markets cannot be used; from now on each market is read from the stream',
      );
    });
  let reading = Promise.resolve();
  /** The last event read from the stream, and the stream's last event when reading began. */
  let [loggedSeq, endSeq] = [0, 0];

  const fromStream = async (ticker: string): Promise<ShownState<MarketState> | undefined> => {
    const loaded = await store.loadToShow(subjects.market(ticker), marketState);
    if (loaded !== undefined) loggedSeq = Math.max(loggedSeq, loaded.seq);
    return loaded;
  };

  return {
    get: (ticker) => {
      if (copy?.state() !== 'complete' || copy.lastSeq() < loggedSeq) return fromStream(ticker);
      try {
        return copy.get(ticker);
      } catch (error) {
        copy.fail(error);
        return fromStream(ticker);
      }
    },
    apply: (message) => copy?.apply(message),
    read: () => {
      if (copy === undefined || disk === undefined) return;
      const onEnd = (seq: number): void => void (endSeq = seq);
      reading = readUntilComplete({ ...deps, copy, disk, onEnd, signal: stopping.signal });
    },
    state: () => {
      if (copy?.state() === 'complete') return null;
      return copy === undefined || copy.state() === 'failed'
        ? 'each market is read from the stream'
        : `${copy.readSeq()} of ${endSeq} events are copied; until then markets are read from the stream`;
    },
    stop: async () => {
      stopping.abort();
      await reading;
      copy?.close();
    },
  };
};

interface ReadOptions extends Pick<MarketStatesDeps, 'bus' | 'partition' | 'log' | 'onUnreadable'> {
  readonly copy: DiskReplica;
  readonly disk: MarketStateFile;
  readonly onEnd: (seq: number) => void;
  readonly signal: AbortSignal;
}

const retryMsMax = 60_000;

const readUntilComplete = async (deps: ReadOptions): Promise<void> => {
  const { bus, copy, disk, log, signal } = deps;
  for (let ms = 1_000; !signal.aborted; ms = Math.min(2 * ms, retryMsMax)) {
    try {
      copy.begin(await progressIn(bus, disk));
      return await readAll(deps);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error }, 'markets could not be copied from the stream to the disk');
      await pause(withJitter(ms), undefined, { signal }).catch(() => undefined);
    }
  }
};

const readAll = async ({ bus, partition = 0, copy, onEnd, onUnreadable, signal }: ReadOptions): Promise<void> => {
  const { last_seq: upTo } = await streamState(bus, 'EVT_CATALOG', partition);
  onEnd(upTo);
  await readStream(bus, {
    stream: 'EVT_CATALOG',
    partition,
    from: copy.readSeq() + 1,
    upTo,
    // An empty disk needs no history.
    lastOnly: copy.readSeq() === 0,
    state: z.unknown(),
    map: taken,
    batchMax,
    onBatch: async (events) => {
      signal.throwIfAborted();
      copy.read(events);
      // Lets waiting requests run first.
      await new Promise(setImmediate);
    },
    onUnreadable,
    signal,
  });
  copy.complete();
};

/** The part of an event that is held until it is stored. */
const taken = ({ subject, seq, event }: EventMessage): ReadEvent => ({
  event: { seq, eventId: event.id },
  market: subject.startsWith(ofMarkets) ? { seq, state: marketState.parse(event.state) } : undefined,
});
const ofMarkets = subjects.market('');

const storedEvent = z.object({ id: z.string() });

/**
 * The disk's position. Undefined if the stream has another event at that sequence: it is another stream, or an older
 * one from a backup. The disk is then cleared.
 */
const progressIn = async (bus: Bus, disk: MarketStateFile): Promise<Progress | undefined> => {
  const progress = disk.progress();
  if (progress === undefined) return undefined;
  const { seq, eventId } = progress.last;
  const message = await messageAt(bus, 'EVT_CATALOG', seq);
  if (message !== null && storedEvent.parse(message.json()).id === eventId) return progress;
  disk.clear();
  return undefined;
};
