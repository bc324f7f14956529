import type { catalogRpc, searchResponse } from '@almanac/contracts';
import type { z } from 'zod';
import type { EventCache } from '../event/event-cache.js';
import { matchEvents } from '../event/event-matches.js';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/compute-figures.js';
import { matchSeries } from '../tables/series-text.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type Filters, filtersOf } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { parseTextQuery } from '../tables/text-query.js';
import { cachedEventHits } from './cached-event-hits.js';
import { correctedQueries } from './corrected-query.js';
import { storedEventHits } from './event-hits.js';
import { marketHits, shownMarkets } from './market-hits.js';
import { byRank, type Ranked, type SearchHit, type SearchRequest } from './ranking.js';
import { seriesHits } from './series-hits.js';

type SearchInput = z.output<typeof catalogRpc.search.input>;
interface Sources extends CatalogueSources {
  readonly events: Pick<EventCache, 'current'>;
  readonly now: FiguresNow;
}

/**
 * GET /search over series, events and markets, queried concurrently. Order: the exact id, ids with the prefix, titles
 * equal to the text, entities with every word, then other forms and prefixes of the words (`scores`). Without words:
 * everything that matches the filters. If nothing matches, the words of the nearest spelling are searched.
 */
export const search = async (
  sources: Sources,
  input: SearchInput,
  queryContext: QueryContext,
): Promise<z.output<typeof searchResponse>> => {
  const { q, offset, limit } = input;
  const filters = filtersOf(input);
  const { found, corrected } = await foundOrCorrected(sources, { q, filters, count: offset + limit + 1 }, queryContext);
  const { items, has_more } = pageOf(found.slice(offset), limit);
  return {
    q: q ?? '',
    ...(corrected !== undefined && { corrected_query: corrected }),
    count: items.length,
    offset,
    limit,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    hits: await display(sources, items, queryContext),
  };
};

interface Query {
  readonly q: string;
  readonly filters: Filters | undefined;
  readonly count: number;
}

const foundOrCorrected = async (
  sources: Sources,
  query: Query,
  queryContext: QueryContext,
): Promise<{ found: Ranked[]; corrected?: string }> => {
  const found = await everyKind(sources, query, queryContext);
  if (found.length > 0 || query.filters === undefined) return { found };
  for (const corrected of correctedQueries(query.q, sources.vocabulary)) {
    const nearest = await everyKind(sources, { ...query, q: corrected }, queryContext);
    if (nearest.length > 0) return { found: nearest, corrected };
  }
  return { found };
};

const everyKind = async (
  sources: Sources,
  { q, filters, count }: Query,
  queryContext: QueryContext,
): Promise<Ranked[]> => {
  const textQuery = parseTextQuery(q, sources.vocabulary);
  if (filters === undefined || textQuery === undefined) return [];
  const now = await sources.events.current();
  const series = textQuery && matchSeries(sources.series.text, textQuery);
  const events = now && textQuery && series ? matchEvents(now, series, textQuery) : undefined;
  const request: SearchRequest = { filters, textQuery, matches: series && { series, events }, count };
  const { clickhouse } = sources;
  const found = await Promise.all([
    seriesHits({ ...sources, events: now, matches: series }, request, queryContext),
    now === undefined
      ? storedEventHits({ clickhouse, series }, request, queryContext)
      : cachedEventHits({ clickhouse, now, matches: events ?? null }, request, queryContext),
    marketHits(sources, request, queryContext),
  ]);
  return found.flat().toSorted(byRank);
};

const display = async (
  { clickhouse }: Sources,
  hits: readonly Ranked[],
  queryContext: QueryContext,
): Promise<SearchHit[]> => {
  const passedOver = hits.filter((hit) => hit.display === undefined).map(({ position }) => position.id);
  const markets = await shownMarkets(clickhouse, passedOver, queryContext);
  return hits.flatMap(({ kind, score, position: { id }, ...hit }) => {
    const about = hit.display ?? markets.get(id);
    return about === undefined ? [] : [{ kind, id, ...about, score }];
  });
};
