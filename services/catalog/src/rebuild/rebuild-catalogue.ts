import { acknowledgedUpTo, type Bus, durables, type EventMessage, isConsumerNotFound, readStream } from '@almanac/bus';
import {
  type ClickHouse,
  command,
  dropShadows,
  exchangeShadows,
  makeShadows,
  shadowOf,
  acquireRebuildLease,
} from '@almanac/clickhouse';
import { allFiguresSql } from '../tables/event-figures.js';
import { insertLines } from '../tables/insert-rows.js';
import { allWordsSql } from '../tables/market-words.js';
import { type AnyState, anyState, rowOf, type TableRows } from '../tables/rows.js';

export interface RebuildDeps {
  /** As the user `catalog`. */
  readonly bus: Bus;
  /** As a user who may change the schema, with time for statements over all markets. */
  readonly clickhouse: ClickHouse;
  /** Hears how far it is, about once a second. */
  readonly onProgress: (progress: Progress) => void;
  /** Hears what is no event and was left out, as the service does. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  /** Ends it; the tables that are read stay as they were. */
  readonly signal: AbortSignal;
  /** Another rebuild without a sign of life for so long is taken for dead. Default 20,000. */
  readonly expiryMs?: number;
}

export interface Progress {
  readonly events: number;
  readonly of: number;
  readonly perSecond: number;
}

export interface Rebuilt {
  readonly events: number;
  readonly seconds: number;
}

export const catalogueTables = ['series', 'events', 'markets', 'market_words', 'event_figures'] as const;

const batchMax = 20_000;
const kinds = ['series', 'events', 'markets'] as const;
const progressMs = 1_000;

/**
 * Makes the catalogue's tables anew from EVT_CATALOG while the service answers from the old ones and goes on writing
 * them. The new ones are filled beside the old, with the same rows as the service makes; what it writes meanwhile goes
 * into both; then they change places.
 *
 * Every row carries the sequence of its event, and the newest wins, so nothing here depends on the order of writes or
 * on how often a row is written. Interrupted anywhere, the tables that are read are whole, old or new; the next
 * rebuild removes what is left over. Throws RebuildRefused while another one runs.
 */
export const rebuildCatalogue = async (deps: RebuildDeps): Promise<Rebuilt> => {
  const { bus, clickhouse, signal, expiryMs = 20_000 } = deps;
  const startedAt = performance.now();
  const lease = await acquireRebuildLease(clickhouse, { model: 'catalogue', signal, expiryMs });
  try {
    await dropShadows(clickhouse, catalogueTables);
    await makeShadows(clickhouse, catalogueTables);
    // What is appended from here on is inserted from here on, and so into both tables.
    const { last_seq: end } = (await bus.jsm.streams.info('EVT_CATALOG')).state;
    await copy(deps, { from: 1, upTo: end, into: shadowOf, onProgress: deps.onProgress });
    for (const kind of kinds) await command(clickhouse, { sql: `OPTIMIZE TABLE ${shadowOf(kind)} FINAL`, signal });
    await derive(deps, {
      from: shadowOf('markets'),
      figures: shadowOf('event_figures'),
      words: shadowOf('market_words'),
    });
    await lease.requireExclusive();
    signal.throwIfAborted();
    await exchangeTables(deps, end);
    return { events: end, seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    try {
      await dropShadows(clickhouse, catalogueTables);
    } finally {
      await lease.release();
    }
  }
};

/**
 * An insert that was on its way at the exchange may have found the new table's view gone from the old one, so all that
 * was not acknowledged before it is written once more, and the figures are computed from what is there then. Not
 * interrupted: it takes a moment, and only leaves the end to the next rebuild.
 */
const exchangeTables = async (deps: RebuildDeps, end: number): Promise<void> => {
  const { bus, clickhouse } = deps;
  const acknowledged = await acknowledgedUpTo(bus, 'EVT_CATALOG', durables.catalogReadModel).catch((error: unknown) => {
    if (isConsumerNotFound(error)) return end;
    throw error;
  });
  await exchangeShadows(clickhouse, catalogueTables);
  const { last_seq: upTo } = (await bus.jsm.streams.info('EVT_CATALOG')).state;
  await copy(
    { ...deps, signal: AbortSignal.timeout(finishMsMax) },
    { from: acknowledged + 1, upTo, into: (kind) => kind },
  );
  await derive({ clickhouse }, { from: 'markets', figures: 'event_figures', words: 'market_words' });
};

/** What is made of the markets' rows and not of an event. */
const derive = async (
  { clickhouse, signal }: Pick<RebuildDeps, 'clickhouse'> & { signal?: AbortSignal },
  { from, figures, words }: { from: string; figures: string; words: string },
): Promise<void> => {
  const stopping = signal === undefined ? {} : { signal };
  await command(clickhouse, { sql: allFiguresSql({ from, into: figures }), ...stopping });
  await command(clickhouse, { sql: allWordsSql({ from, into: words }), ...stopping });
};

const finishMsMax = 3_600_000;

interface Copy {
  readonly from: number;
  readonly upTo: number;
  readonly into: (kind: keyof TableRows) => string;
  readonly onProgress?: (progress: Progress) => void;
}

const copy = async (
  { bus, clickhouse, onUnreadable, signal }: RebuildDeps,
  { from, upTo, into, onProgress = () => undefined }: Copy,
): Promise<void> => {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  let events = 0;
  // A row is text at once: events of a batch as objects would take ten times the memory.
  const take = (message: EventMessage<AnyState>) => {
    const { of, row } = rowOf(message);
    return { of, line: JSON.stringify(row) };
  };
  const onBatch = async (batch: readonly ReturnType<typeof take>[]): Promise<void> => {
    const insert = (kind: keyof TableRows): Promise<void> => {
      const lines = batch.flatMap(({ of, line }) => (of === kind ? [line] : []));
      return insertLines(clickhouse, lines, { of: kind, into: into(kind) });
    };
    await Promise.all(kinds.map(insert));
    events += batch.length;
    const now = performance.now();
    if (now - reportedAt < progressMs && events < upTo) return;
    reportedAt = now;
    onProgress({ events, of: upTo, perSecond: Math.round((events * 1_000) / (now - startedAt)) });
  };
  const reading = { stream: 'EVT_CATALOG', from, upTo, state: anyState, onUnreadable, signal } as const;
  await readStream(bus, { ...reading, map: take, batchMax, onBatch });
};
