import {
  acknowledgedPosition,
  type Bus,
  durables,
  type FollowOptions,
  isConsumerNotFound,
  lastEvent,
  patterns,
  subjects,
} from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { DomainError, type SeriesState, seriesState } from '@almanac/contracts';
import { replicateStates, type StateReplica, type StoredStates, type VersionedState } from '@almanac/event-store';
import { forEachConcurrent } from '@almanac/runtime';
import { z } from 'zod';
import { readRows } from '../tables/read-rows.js';
import { putSeries, type SeriesText, seriesText } from '../tables/series-text.js';

export interface SeriesReplica extends StateReplica<SeriesState> {
  /** The same series by their words. */
  readonly text: SeriesText;
}

export interface SeriesSources {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  readonly onUnreadable: FollowOptions<SeriesState>['onUnreadable'];
  readonly log: { error(facts: object, message: string): void };
}

const stream = 'EVT_CATALOG';
const readMsMax = 5_000;

/** All series in memory, by subject and by their words: they are few, and almost every query needs them. */
export const replicateSeries = async (sources: SeriesSources): Promise<SeriesReplica> => {
  const text = seriesText();
  const replica = await replicateStates(sources.bus, {
    stream,
    filter: patterns.allSeries,
    state: seriesState,
    stored: await storedSeries(sources),
    onChange: (_, { state }) => putSeries(text, state),
    onUnreadable: sources.onUnreadable,
  });
  return { ...replica, text };
};

const storedRow = z.object({ id: z.string(), state: z.string(), seq: z.int() });

/**
 * The series of the tables. The position is read first, so the rows cover it. Undefined if ClickHouse does not answer, or
 * before the read model has started.
 */
const storedSeries = async ({
  bus,
  clickhouse,
  log,
}: SeriesSources): Promise<StoredStates<SeriesState> | undefined> => {
  try {
    const position = await acknowledgedPosition(bus, stream, durables.catalogReadModel);
    const signal = AbortSignal.timeout(readMsMax);
    const rows = await readRows(clickhouse, { sql: 'SELECT id, state, seq FROM series FINAL', signal }, storedRow);
    const states = new Map<string, VersionedState<SeriesState>>();
    await forEachConcurrent(rows, readsAtOnce, async ({ id, state, seq }) => {
      const stored = storedState(state);
      const known = stored === undefined ? await stateInStream(bus, id) : { state: stored, seq };
      if (known !== undefined) states.set(subjects.series(id), known);
    });
    return { position, states };
  } catch (error) {
    if (isConsumerNotFound(error)) return undefined;
    if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
    log.error({ err: error }, 'the series cannot be read from the tables; each one is read from the stream');
    return undefined;
  }
};

const readsAtOnce = 8;

/** Undefined in a row of an older release, which stored no state, and for a state that only a newer release can read. */
const storedState = (text: string): SeriesState | undefined =>
  text === '' ? undefined : seriesState.safeParse(JSON.parse(text)).data;

const stateInStream = async (bus: Bus, id: string): Promise<VersionedState<SeriesState> | undefined> => {
  const { message } = await lastEvent(bus, { stream, subject: subjects.series(id), state: seriesState });
  return message && { state: message.event.state, seq: message.seq };
};
