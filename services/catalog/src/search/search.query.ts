import type { catalogRpc, searchResponse } from '@almanac/contracts';
import type { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/compute-figures.js';
import type { QueryContext } from '../tables/read-rows.js';
import { filtersOf } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { parseTextQuery } from '../tables/text-query.js';
import { eventHits, type EventSources } from './event-hits.js';
import { marketHits, shownMarkets } from './market-hits.js';
import { byRank, type Ranked, type SearchHit, type SearchRequest } from './ranked.js';
import { seriesHits } from './series-hits.js';

type SearchInput = z.output<typeof catalogRpc.search.input>;
type Sources = CatalogueSources & EventSources & { readonly now: FiguresNow };

/**
 * GET /search over series, events and markets, queried concurrently. Order: the exact id, ids with the prefix, titles
 * equal to the text, entities with every word, then entities in which every word is a prefix of a word. Without
 * words: everything that matches the filters.
 */
export const search = async (
  sources: Sources,
  input: SearchInput,
  queryContext: QueryContext,
): Promise<z.output<typeof searchResponse>> => {
  const { q, offset, limit } = input;
  const filters = filtersOf(input);
  const textQuery = parseTextQuery(input.q);
  const found =
    filters === undefined || textQuery === undefined
      ? []
      : await everyKind(sources, { filters, textQuery, count: offset + limit + 1 }, queryContext);
  const { items, has_more } = pageOf(found.slice(offset), limit);
  return {
    q: q ?? '',
    count: items.length,
    offset,
    limit,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    hits: await display(sources, items, queryContext),
  };
};

const everyKind = async (sources: Sources, request: SearchRequest, queryContext: QueryContext): Promise<Ranked[]> => {
  const found = await Promise.all([
    seriesHits(sources, request, queryContext),
    eventHits(sources, request, queryContext),
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
