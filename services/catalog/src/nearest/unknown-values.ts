import type { Notice } from '@almanac/contracts';
import { nearestName } from '@almanac/runtime';
import { z } from 'zod';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { idExists, type IdSources, nearestId } from './nearest-id.js';

interface IdFilters {
  readonly series?: string | null | undefined;
  readonly event?: string | null | undefined;
  readonly category?: string | null | undefined;
  readonly venue?: string | null | undefined;
}

/** Notices on the filters of an empty answer that name a series, an event, a category or a venue which does not exist. */
export const unknownValues = async (
  sources: IdSources,
  { series, event, category, venue }: IdFilters,
  queryContext: QueryContext,
): Promise<Notice[]> => {
  const notices: Notice[] = [];
  for (const [kind, id] of [['series', series] as const, ['event', event] as const]) {
    if (!id || (await idExists(sources, kind, id))) continue;
    notices.push(unknownValue(kind, id, await nearestId(sources, { kind, id }, queryContext)));
  }
  if (category) {
    const categories = new Set([...sources.series.values()].flatMap((state) => state.category ?? []));
    if (!categories.has(category)) {
      notices.push(unknownValue('category', category, nearestName(category, categories) ?? null));
    }
  }
  if (venue) {
    const known = new Set(await venuesOf(sources, queryContext));
    if (!known.has(venue)) notices.push(unknownValue('venue', venue, nearestName(venue, known) ?? null, withoutVenue));
  }
  return notices;
};

const venuesOf = ({ clickhouse }: IdSources, { signal }: QueryContext): Promise<string[]> => {
  const sql = 'SELECT DISTINCT venue FROM markets WHERE venue IS NOT NULL';
  return readRows(clickhouse, { sql, params: {}, signal }, storedVenue);
};

const storedVenue = z.object({ venue: z.string() }).transform(({ venue }) => venue);

const shownMax = 80;
/** Markets from before the archive stored venues have none. */
const withoutVenue = 'A market has no venue until a source states it: import markets of an earlier release again.';

const unknownValue = (
  name: string,
  value: string,
  nearest: string | null,
  otherwise = 'Search with GET /api/v1/search.',
): Notice => {
  const shown = value.length > shownMax ? `${value.slice(0, shownMax)}...` : value;
  const remedy = nearest === null ? otherwise : `Did you mean ${nearest}?`;
  const detail = `The archive has no ${name} ${shown.toWellFormed()}, so the filter matches nothing. ${remedy}`;
  return { code: 'unknown_value', detail, loc: ['query', name], nearest };
};
