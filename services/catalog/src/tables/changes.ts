import { setTimeout as pause } from 'node:timers/promises';
import {
  acknowledgedPosition,
  type Bus,
  durables,
  endOf,
  type EventMessage,
  follow,
  laterPosition,
  partitionCount,
  positionAfter,
  type Running,
  type StreamPosition,
} from '@almanac/bus';
import {
  DomainError,
  eventState,
  marketState,
  type MarketState,
  type SeriesState,
  seriesState,
} from '@almanac/contracts';
import { z } from 'zod';
import { type PendingChanges, pendingChanges, type ReadableChange } from './pending-changes.js';
import { rowOf, type TableRows } from './rows.js';
import { searchableMarket, searchWordsOf } from './search-words.js';
import type { NamedMarket } from './series-words.js';

export interface CatalogueChangesOptions {
  readonly onSeries: (subject: string, known: { state: SeriesState; seq: number }) => void;
  readonly onMarket: (message: EventMessage<MarketState>) => void;
  /** Called with an event's row, or a market's words, on arrival. */
  readonly onEvent: (row: TableRows['events'][number]) => void;
  readonly onWords: (words: readonly string[], market: NamedMarket) => void;
  readonly onReadable: (change: ReadableChange) => void;
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  readonly log: { error(facts: object, message: string): void };
}

export interface CatalogueChanges extends Running {
  /** All events up to here were passed on. */
  readonly position: StreamPosition;
  /**
   * Resolves when `onReadable` was called for everything up to `seq`. With several partitions: for everything that was
   * recorded before the call. Throws `unavailable` after `timeoutMs`.
   */
  awaitReadable(seq: number, timeoutMs: number): Promise<{ seq: number }>;
}

const text = z.string().nullable().default(null);
/** The fields that distinguish the three kinds, and those of a market that are counted and searched. */
const changed = z.looseObject({
  ticker: z.string().optional(),
  id: z.string().optional(),
  series: text,
  title: text,
  category: text,
  category_label: text,
});

const pollMs = 20;

/**
 * Follows every change of the catalogue, whichever process writes the tables, and reports when it can be queried. A
 * change arrives when it is recorded. The shared position of the read model's consumer shows what the tables contain.
 */
export const catalogueChanges = async (bus: Bus, options: CatalogueChangesOptions): Promise<CatalogueChanges> => {
  const partitions = partitionCount(bus, 'EVT_CATALOG');
  const pending = pendingChanges(partitions);
  const readable = (): Promise<StreamPosition> => acknowledgedPosition(bus, 'EVT_CATALOG', durables.catalogReadModel);
  const release = (upTo: StreamPosition): void => {
    const change = pending.readableUpTo(upTo);
    if (change !== undefined) options.onReadable(change);
  };
  const started = await endOf(bus, 'EVT_CATALOG');
  // Events that are already on their way into the tables are not followed.
  for (const last of started) if (last > 0) pending.add('anything', last);
  const following = await follow(bus, {
    stream: 'EVT_CATALOG',
    from: 'new',
    state: changed,
    onUnreadable: options.onUnreadable,
    onEvent: ({ subject, seq, event }) => {
      const { state } = event;
      if (state.ticker !== undefined) {
        pending.add({ series: state.series ?? '' }, seq);
        const market = marketState.parse(state);
        options.onMarket({ subject, seq, event: { ...event, state: market } });
        options.onWords(searchWordsOf(searchableMarket(market)), market);
      } else if (state.id === undefined) {
        pending.add('event', seq);
        const stored = rowOf({ subject, seq, event: { ...event, state: eventState.parse(state) } });
        if (stored.of === 'events') options.onEvent(stored.row);
      } else {
        pending.add('names', seq);
        options.onSeries(subject, { state: seriesState.parse(state), seq });
      }
      looking.wake();
    },
  });
  const looking = pollWhilePending({ pending, readable, release, log: options.log });
  looking.wake();
  return {
    get position() {
      return following.position;
    },
    awaitReadable: async (seq, timeoutMs) => {
      // A call that changed nothing has no sequence to wait for.
      if (seq === 0) return { seq };
      const own = positionAfter([seq], partitions);
      // One sequence does not say what the caller recorded in other partitions.
      const until = partitions === 1 ? own : laterPosition(own, await endOf(bus, 'EVT_CATALOG'));
      const isKnown = async (): Promise<boolean> =>
        covers(await readable(), until) && covers(laterPosition(following.position, started), until);
      await untilKnown(isKnown, timeoutMs);
      release(until);
      return { seq };
    },
    stop: async () => {
      looking.stop();
      await following.stop();
    },
  };
};

const untilKnown = async (isKnown: () => Promise<boolean>, timeoutMs: number): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await isKnown())) {
    if (performance.now() + pollMs > deadline) {
      throw new DomainError(
        'unavailable',
        'The catalogue does not include the latest changes yet. Try again in a few seconds.',
      );
    }
    await pause(pollMs);
  }
};

const covers = (position: StreamPosition, until: StreamPosition): boolean =>
  until.every((seq, partition) => (position[partition] ?? 0) >= seq);

/** Interval for detecting that changes of other processes are readable. */
const pollOthersMs = 50;
const pollRetryMs = 1_000;

/** Polls the position of the tables while changes are pending. */
const pollWhilePending = ({
  pending,
  readable,
  release,
  log,
}: {
  pending: PendingChanges;
  readable: () => Promise<StreamPosition>;
  release: (upTo: StreamPosition) => void;
  log: CatalogueChangesOptions['log'];
}): { wake: () => void; stop: () => void } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let looking = false;
  const look = async (): Promise<void> => {
    looking = true;
    for (let ms = pollOthersMs; !pending.isEmpty && !signal.aborted;) {
      try {
        await pause(ms, undefined, { signal });
        release(await readable());
        ms = pollOthersMs;
      } catch (error) {
        if (signal.aborted) break;
        log.error({ err: error }, 'the position of the catalogue tables cannot be read');
        ms = pollRetryMs;
      }
    }
    looking = false;
  };
  return {
    wake: () => {
      if (!looking && !signal.aborted) void look();
    },
    stop: () => stopping.abort(),
  };
};
