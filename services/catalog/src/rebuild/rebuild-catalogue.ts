import {
  acknowledgedPosition,
  type Bus,
  durables,
  endOf,
  type EventMessage,
  isConsumerNotFound,
  partitionsOf,
  readStream,
  type StreamPosition,
} from '@almanac/bus';
import {
  type ClickHouse,
  command,
  dropShadows,
  exchangeShadows,
  makeShadows,
  shadowOf,
  acquireRebuildLease,
} from '@almanac/clickhouse';
import { allCandidatesSql } from '../tables/candidates.js';
import { allFiguresSql } from '../tables/event-figures.js';
import { insertLines } from '../tables/insert-rows.js';
import { allWordsSql } from '../tables/market-words.js';
import { type AnyState, anyState, rowOf, type TableRows } from '../tables/rows.js';

export interface RebuildDeps {
  /** Connected as the user `catalog`. */
  readonly bus: Bus;
  /** Connected as a user that may change the schema, with a time limit for statements over all markets. */
  readonly clickhouse: ClickHouse;
  readonly onProgress: (progress: Progress) => void;
  /** Called for messages that are no event. They are skipped, as in the service. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  /** Ends the rebuild. The tables in use do not change. */
  readonly signal: AbortSignal;
  /** Another rebuild without a heartbeat for this long counts as dead. Default 20,000. */
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

/** In the order of their exchange. Candidates go before their markets: one without a market would hide where a page ends. */
export const catalogueTables = [
  'series',
  'events',
  'markets_by_close',
  'markets',
  'market_words',
  'event_figures',
] as const;

const batchMax = 20_000;
const kinds = ['series', 'events', 'markets'] as const;
const progressMs = 1_000;

/**
 * Rebuilds the catalogue's tables from EVT_CATALOG while the service reads the old ones and writes to both. Then the
 * tables are exchanged (docs/decisions/016-rebuilt-beside.md). Every row has the sequence of its event, and the newest
 * wins, so order and repetition do not matter. An interruption leaves complete tables, old or new. Throws
 * RebuildRefusedError while another rebuild runs.
 */
export const rebuildCatalogue = async (deps: RebuildDeps): Promise<Rebuilt> => {
  const { bus, clickhouse, signal, expiryMs = 20_000 } = deps;
  const startedAt = performance.now();
  const lease = await acquireRebuildLease(clickhouse, { model: 'catalogue', signal, expiryMs });
  try {
    await dropShadows(clickhouse, catalogueTables);
    await makeShadows(clickhouse, catalogueTables);
    // Events appended from here on are also inserted from here on, so they go to both tables.
    const end = await endOf(bus, 'EVT_CATALOG');
    const start = end.map(() => 0);
    await copy(deps, { after: start, upTo: end, into: shadowOf, onProgress: deps.onProgress });
    for (const kind of kinds) await command(clickhouse, { sql: `OPTIMIZE TABLE ${shadowOf(kind)} FINAL`, signal });
    await command(clickhouse, {
      sql: allCandidatesSql({ from: shadowOf('markets'), into: shadowOf('markets_by_close') }),
      signal,
    });
    await derive(deps, {
      from: shadowOf('markets'),
      figures: shadowOf('event_figures'),
      words: shadowOf('market_words'),
    });
    await lease.requireExclusive();
    signal.throwIfAborted();
    await exchangeTables(deps, end);
    return { events: eventsBetween(start, end), seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    try {
      await dropShadows(clickhouse, catalogueTables);
    } finally {
      await lease.release();
    }
  }
};

/**
 * An insert in progress at the exchange may have missed the view on the old table. Events that were not acknowledged
 * before are therefore inserted again, and the figures are recomputed. A stop does not interrupt this: it is short,
 * and the next rebuild would have to finish it.
 */
const exchangeTables = async (deps: RebuildDeps, end: StreamPosition): Promise<void> => {
  const { bus, clickhouse } = deps;
  const acknowledged = await acknowledgedPosition(bus, 'EVT_CATALOG', durables.catalogReadModel).catch(
    (error: unknown) => {
      if (isConsumerNotFound(error)) return end;
      throw error;
    },
  );
  await exchangeShadows(clickhouse, catalogueTables);
  const upTo = await endOf(bus, 'EVT_CATALOG');
  await copy(
    { ...deps, signal: AbortSignal.timeout(finishMsMax) },
    { after: acknowledged, upTo, into: (kind) => kind },
  );
  await derive({ clickhouse }, { from: 'markets', figures: 'event_figures', words: 'market_words' });
};

/** Computes the tables that derive from the markets' rows instead of events. */
const derive = async (
  { clickhouse, signal }: Pick<RebuildDeps, 'clickhouse'> & { signal?: AbortSignal },
  { from, figures, words }: { from: string; figures: string; words: string },
): Promise<void> => {
  const stopping = signal === undefined ? {} : { signal };
  await command(clickhouse, { sql: allFiguresSql({ from, into: figures }), ...stopping });
  await command(clickhouse, { sql: allWordsSql({ from, into: words }), ...stopping });
};

const finishMsMax = 3_600_000;

/** The sequences of a partition differ by the number of partitions. */
const eventsBetween = (after: StreamPosition, upTo: StreamPosition): number =>
  upTo.reduce((sum, seq, at) => sum + Math.floor(seq / upTo.length) - Math.floor((after[at] ?? 0) / upTo.length), 0);

interface Copy {
  readonly after: StreamPosition;
  readonly upTo: StreamPosition;
  readonly into: (kind: keyof TableRows) => string;
  readonly onProgress?: (progress: Progress) => void;
}

const copy = async (
  { bus, clickhouse, onUnreadable, signal }: RebuildDeps,
  { after, upTo, into, onProgress = () => undefined }: Copy,
): Promise<void> => {
  const all = eventsBetween(after, upTo);
  const startedAt = performance.now();
  let reportedAt = startedAt;
  let events = 0;
  // Rows become text at once: a batch of event objects would need ten times the memory.
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
    if (now - reportedAt < progressMs && events < all) return;
    reportedAt = now;
    onProgress({ events, of: all, perSecond: Math.round((events * 1_000) / (now - startedAt)) });
  };
  const reading = {
    stream: 'EVT_CATALOG',
    state: anyState,
    onUnreadable,
    signal,
    map: take,
    batchMax,
    onBatch,
  } as const;
  for (const partition of partitionsOf(bus, 'EVT_CATALOG'))
    await readStream(bus, { ...reading, partition, from: (after[partition] ?? 0) + 1, upTo: upTo[partition] ?? 0 });
};
