import type { catalogRpc, searchResponse } from '@almanac/contracts';
import type { z } from 'zod';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/figures-now.js';
import type { Asking } from '../tables/ask.js';
import { filtersOf } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { questionOf } from '../tables/question.js';
import { eventHits, type EventSources } from './event-hits.js';
import { marketHits, shownMarkets } from './market-hits.js';
import { byRank, type Ranked, type SearchHit, type Sought } from './ranked.js';
import { seriesHits } from './series-hits.js';

type Asked = z.output<typeof catalogRpc.search.input>;
type Sources = CatalogueSources & EventSources & { readonly now: FiguresNow };

/**
 * GET /search over series, events and markets, which are asked at once: the exact id first, then ids that begin so, then
 * titles that are the question, then things that have every word, then those in which every word begins one. Without words all that the filters leave.
 */
export const search = async (
  sources: Sources,
  asked: Asked,
  asking: Asking,
): Promise<z.output<typeof searchResponse>> => {
  const { q, offset, limit } = asked;
  const filters = filtersOf(asked);
  const question = questionOf(asked.q);
  const found =
    filters === undefined || question === undefined
      ? []
      : await everyKind(sources, { filters, question, count: offset + limit + 1 }, asking);
  const { items, has_more } = pageOf(found.slice(offset), limit);
  return {
    q: q ?? '',
    count: items.length,
    offset,
    limit,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    hits: await shown(sources, items, asking),
  };
};

const everyKind = async (sources: Sources, sought: Sought, asking: Asking): Promise<Ranked[]> => {
  const found = await Promise.all([
    seriesHits(sources, sought, asking),
    eventHits(sources, sought, asking),
    marketHits(sources, sought, asking),
  ]);
  return found.flat().toSorted(byRank);
};

const shown = async ({ clickhouse }: Sources, hits: readonly Ranked[], asking: Asking): Promise<SearchHit[]> => {
  const passedOver = hits.filter((hit) => hit.shown === undefined).map(({ position }) => position.id);
  const markets = await shownMarkets(clickhouse, passedOver, asking);
  return hits.flatMap(({ kind, score, position: { id }, ...hit }) => {
    const about = hit.shown ?? markets.get(id);
    return about === undefined ? [] : [{ kind, id, ...about, score }];
  });
};
