import type { Notice } from '@almanac/contracts';
import { nearestName } from '@almanac/runtime';
import type { QueryContext } from '../tables/read-rows.js';
import { idExists, type IdSources, nearestId } from './nearest-id.js';

interface IdFilters {
  readonly series?: string | null | undefined;
  readonly event?: string | null | undefined;
  readonly category?: string | null | undefined;
}

/** Notices on the filters of an empty answer that name a series, an event or a category which does not exist. */
export const unknownValues = async (
  sources: IdSources,
  { series, event, category }: IdFilters,
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
  return notices;
};

const shownMax = 80;

const unknownValue = (name: string, value: string, nearest: string | null): Notice => {
  const shown = value.length > shownMax ? `${value.slice(0, shownMax)}...` : value;
  const remedy = nearest === null ? 'Search with GET /api/v1/search.' : `Did you mean ${nearest}?`;
  const detail = `The archive has no ${name} ${shown.toWellFormed()}, so the filter matches nothing. ${remedy}`;
  return { code: 'unknown_value', detail, loc: ['query', name], nearest };
};
