import type { catalogRpc, seriesResponse } from '@almanac/contracts';
import { z } from 'zod';
import type { Asking, CatalogueSources } from '../market/markets.js';
import { ask } from '../tables/ask.js';
import { type Filters, filtersOf } from '../tables/filters.js';
import { seriesNow } from '../tables/now.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { presentSeries, seriesColumns, seriesRowNow } from './series-items.js';

type Question = z.output<typeof catalogRpc.listSeries.input>;

const totals = z.object({ series_n: z.int(), events_n: z.int(), markets_n: z.int() });

/**
 * GET /series: live ones first, then newest close, then id. A time filter asks for series of which a market closes
 * then; an item's own figures are always of the whole series, the totals of what matches.
 */
export const listSeries = async (
  { clickhouse }: CatalogueSources,
  question: Question,
  { nowUs, signal }: Asking,
): Promise<z.output<typeof seriesResponse>> => {
  const filters = filtersOf(question, nowUs);
  const { offset, limit } = question;
  const from = `FROM ${seriesNow(filters.window)} WHERE ${seriesConditions(filters)}`;
  const page = `SELECT ${seriesColumns} ${from}
    ORDER BY live_n > 0 DESC, newest_close_key DESC, id LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const events = filters.window === undefined ? 'events_n' : 'matching_events_n';
  const sums = `SELECT count() AS series_n, sum(${events}) AS events_n, sum(matching_n) AS markets_n ${from}`;
  const params = { ...filters.params, limit: limit + 1, offset };
  const [found, [total]] = await Promise.all([
    ask(clickhouse, { sql: page, params, signal }, seriesRowNow),
    ask(clickhouse, { sql: sums, params, signal }, totals),
  ]);
  const { items, has_more } = pageOf(found, limit);
  return {
    count: items.length,
    series: items.map(presentSeries),
    source: 'archive',
    saved_ts: null,
    markets_n: total?.markets_n ?? 0,
    series_n: total?.series_n ?? 0,
    events_n: total?.events_n ?? 0,
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
  };
};

export const seriesConditions = (filters: Filters): string =>
  [filters.plain, filters.matches('id'), filters.window === undefined ? '1' : 'matching_n > 0'].join(' AND ');
