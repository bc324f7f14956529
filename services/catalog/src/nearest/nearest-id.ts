import { isValidId, subjects } from '@almanac/bus';
import { eventState, marketState, type SeriesState } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { nearestName } from '@almanac/runtime';
import { z } from 'zod';
import type { CatalogDeps } from '../catalog-deps.js';
import type { CatalogueSources } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';

export type IdKind = 'series' | 'event' | 'market';

export interface IdSources extends Pick<CatalogueSources, 'clickhouse'> {
  readonly series: ReadonlyMap<string, SeriesState>;
  readonly store: EventStore;
}

export const idSourcesOf = ({ sources, store }: Pick<CatalogDeps, 'sources' | 'store'>): IdSources => ({
  clickhouse: sources.clickhouse,
  series: sources.series.states,
  store,
});

export const idExists = async ({ series, store }: IdSources, kind: IdKind, id: string): Promise<boolean> => {
  if (!isValidId(id)) return false;
  if (kind === 'series') return series.has(subjects.series(id));
  if (kind === 'event') return (await store.load(subjects.event(id), eventState)) !== undefined;
  return (await store.load(subjects.market(id), marketState)) !== undefined;
};

/**
 * The existing id that is most similar to one that does not exist: a series by spelling, an event or a market in
 * capitals or small letters, as the venues write them, and a market by spelling among the markets of its event.
 */
export const nearestId = async (
  sources: IdSources,
  { kind, id }: { kind: IdKind; id: string },
  queryContext: QueryContext,
): Promise<string | null> => {
  if (kind === 'series')
    return (
      nearestName(
        id,
        [...sources.series.values()].map((state) => state.id),
      ) ?? null
    );
  const known = await inOtherCase(sources, kind, id.trim());
  if (known !== undefined || kind === 'event') return known ?? null;
  const named = id.trim().slice(0, id.trim().lastIndexOf('-'));
  const event = (await idExists(sources, 'event', named)) ? named : await inOtherCase(sources, 'event', named);
  return event === undefined ? null : (nearestName(id, await tickersOf(sources, event, queryContext)) ?? null);
};

const inOtherCase = async (sources: IdSources, kind: IdKind, id: string): Promise<string | undefined> => {
  for (const spelling of new Set([id, id.toUpperCase(), id.toLowerCase()])) {
    if (await idExists(sources, kind, spelling)) return spelling;
  }
  return undefined;
};

const tickersOf = async (
  { clickhouse }: IdSources,
  event: string,
  { signal }: QueryContext,
): Promise<readonly string[]> => {
  const sql = 'SELECT DISTINCT ticker FROM markets WHERE event_ticker = {event:String} LIMIT 500';
  const found = await readRows(clickhouse, { sql, params: { event }, signal }, z.object({ ticker: z.string() }));
  return found.map(({ ticker }) => ticker);
};
