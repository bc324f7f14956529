import type { categoriesResponse } from '@almanac/contracts';
import { z } from 'zod';
import type { Asking, CatalogueSources } from '../market/markets.js';
import { ask } from '../tables/ask.js';
import { marketsNow } from '../tables/now.js';

const row = z.object({
  id: z.string(),
  label: z.string(),
  series_n: z.int(),
  events_n: z.int(),
  markets_n: z.int(),
  live_n: z.int(),
});

/** Each kind counts by its own category, as the category filter of its listing does. A series' label comes first. */
const sql = `
  SELECT id, if(max(series_label) != '', max(series_label), if(max(market_label) != '', max(market_label), id)) AS label,
    sum(series) AS series_n, sum(events) AS events_n, sum(markets) AS markets_n, sum(live) AS live_n
  FROM (
    SELECT toString(category) AS id, toString(max(category_label)) AS series_label, '' AS market_label,
      count() AS series, 0 AS events, 0 AS markets, 0 AS live
    FROM series FINAL WHERE category != '' GROUP BY category
    UNION ALL
    SELECT toString(category), '', '', 0, count(), 0, 0 FROM events FINAL WHERE category != '' GROUP BY category
    UNION ALL
    SELECT toString(category), '', toString(max(category_label)), 0, 0, count(), countIf(live)
    FROM ${marketsNow} WHERE category != '' GROUP BY category
  )
  GROUP BY id ORDER BY id`;

/** GET /categories, by id. */
export const categories = async (
  { clickhouse }: CatalogueSources,
  { nowUs, signal }: Asking,
): Promise<z.output<typeof categoriesResponse>> => {
  const found = await ask(clickhouse, { sql, params: { now_us: nowUs }, signal }, row);
  return {
    count: found.length,
    categories: found.map((category) => ({ ...category, closed_n: category.markets_n - category.live_n })),
    source: 'archive',
    saved_ts: null,
  };
};
