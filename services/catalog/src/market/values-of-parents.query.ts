import type { RpcContext } from '@almanac/bus/server';
import type { ClickHouse } from '@almanac/clickhouse';
import type { catalogRpc, InputOf, OutputOf } from '@almanac/contracts';
import { z } from 'zod';
import { readRows } from '../tables/read-rows.js';

const marketsMax = 500;

/** Markets of these events and series that lack a value. */
const lacking = `SELECT ticker, event_ticker, series, category, category_label FROM markets FINAL
  WHERE ticker > {after:String} AND (series IN {series:Array(String)} OR event_ticker IN (SELECT event_ticker FROM parent_events))
    AND (series = '' OR category_label = '')`;

const withEvent = `SELECT lacking.ticker AS ticker, lacking.series AS own_series, lacking.category AS own_category,
    lacking.category_label AS own_label, parent_events.category AS event_category, parent_events.category_label AS event_label,
    if(own_series = '', parent_events.series, own_series) AS any_series
  FROM (${lacking}) AS lacking LEFT JOIN parent_events ON lacking.event_ticker = parent_events.event_ticker`;

/** What the event of a market states comes before what the series does. A name is that of the same category. */
const sql = `WITH parent_events AS (SELECT event_ticker, series, category, category_label FROM events FINAL
    WHERE event_ticker IN {events:Array(String)} OR series IN {series:Array(String)})
SELECT ticker, any_series AS series, multiIf(own_category != '', own_category, event_category != '', event_category, parent.category) AS any_category,
  multiIf(own_label != '', own_label, event_category = any_category AND event_label != '', event_label,
    parent.category = any_category, parent.category_label, '') AS any_label
FROM (${withEvent}) AS known LEFT JOIN (SELECT id, category, category_label FROM series FINAL) AS parent ON parent.id = known.any_series
WHERE (own_series = '' AND any_series != '') OR (own_category = '' AND any_category != '') OR (own_label = '' AND any_label != '')
ORDER BY ticker LIMIT {limit:UInt32}`;

const found = z.object({
  ticker: z.string(),
  series: z.string(),
  any_category: z.string(),
  any_label: z.string(),
});

/** Values that markets lack and their event or series has, in the order of tickers. */
export const valuesOfParents = async (
  clickhouse: ClickHouse,
  input: InputOf<typeof catalogRpc.valuesOfParents>,
  { signal }: Pick<RpcContext, 'signal'>,
): Promise<OutputOf<typeof catalogRpc.valuesOfParents>> => {
  const markets = await readRows(clickhouse, { sql, params: { ...input, limit: marketsMax }, signal }, found);
  return {
    markets: markets.map(({ ticker, series, any_category, any_label }) => ({
      ticker,
      series: series || null,
      category: any_category || null,
      category_label: any_label || null,
    })),
    next: markets.length < marketsMax ? null : (markets.at(-1)?.ticker ?? null),
  };
};
