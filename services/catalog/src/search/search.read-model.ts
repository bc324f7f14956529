import { type catalogRpc, searchHit, type searchResponse, secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import type { Asking, CatalogueSources } from '../market/markets.js';
import { ask } from '../tables/ask.js';
import { type Filters, filtersOf } from '../tables/filters.js';
import { eventsNow, marketsNow, seriesNow } from '../tables/now.js';
import { nextOffset, pageOf } from '../tables/pages.js';

type Question = z.output<typeof catalogRpc.search.input>;

const text = z.string().transform((value) => (value === '' ? null : value));
const row = z.object({
  kind: searchHit.shape.kind,
  id: z.string(),
  title: text,
  category: text,
  series: text,
  event_ticker: text,
  status: text,
  close_us: z.int().nullable(),
  score: z.number(),
});

/**
 * GET /search over series, events and markets: the exact id first, then ids that begin so, then things that have every
 * word; among equals live ones first, then later closes, then the wider thing. Without words all that the filters leave.
 */
export const search = async (
  { clickhouse }: CatalogueSources,
  question: Question,
  { nowUs, signal }: Asking,
): Promise<z.output<typeof searchResponse>> => {
  const { q, offset, limit } = question;
  const filters = filtersOf(question, nowUs);
  const params = { ...filters.params, limit: limit + 1, offset };
  const { items, has_more } = pageOf(await ask(clickhouse, { sql: hitsSql(filters), params, signal }, row), limit);
  return {
    q: q ?? '',
    count: items.length,
    offset,
    limit,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    hits: items.map(({ close_us, ...hit }) => ({ ...hit, close_ts: secondsOf(close_us) })),
  };
};

const hitsSql = (filters: Filters): string => {
  const where = (id: string, window: string) => `WHERE ${filters.plain} AND ${filters.matches(id)} AND ${window}`;
  const anyMarket = filters.window === undefined ? '1' : 'matching_n > 0';
  return `SELECT kind, id, title, category, series, event_ticker, status, close_us, score FROM (
    SELECT 'series' AS kind, 0 AS rank, id, label AS title, toString(category) AS category, id AS series,
      '' AS event_ticker, status, newest_close_us AS close_us, newest_close_key AS close_key, live_n > 0 AS is_live,
      ${filters.score('id')} AS score
    FROM ${seriesNow(filters.window)} ${where('id', anyMarket)}
    UNION ALL
    SELECT 'event', 1, event_ticker, title, toString(category), toString(series), event_ticker, status,
      newest_close_us, newest_close_key, live_n > 0, ${filters.score('event_ticker')}
    FROM ${eventsNow(filters.window)} ${where('event_ticker', anyMarket)}
    UNION ALL
    SELECT 'market', 2, ticker, title, toString(category), toString(series), event_ticker, status, close_us,
      close_key, live, ${filters.score('ticker')}
    FROM ${marketsNow} ${where('ticker', filters.window ?? '1')}
  )
  ORDER BY score DESC, is_live DESC, close_key DESC, rank, id LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
};
