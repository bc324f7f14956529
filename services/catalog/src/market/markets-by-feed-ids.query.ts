import type { RpcContext } from '@almanac/bus/server';
import type { ClickHouse } from '@almanac/clickhouse';
import type { catalogRpc, InputOf, OutputOf } from '@almanac/contracts';
import { z } from 'zod';
import { readRows } from '../tables/read-rows.js';

const storedRow = z.object({ ticker: z.string(), ids: z.tuple([z.string(), z.string(), z.string()]) });

/** Ids only become known, so the newest row of a market has all of its older ones. */
export const marketsByFeedIds = async (
  clickhouse: ClickHouse,
  { ids }: InputOf<typeof catalogRpc.marketsByFeedIds>,
  { signal }: Pick<RpcContext, 'signal'>,
): Promise<OutputOf<typeof catalogRpc.marketsByFeedIds>> => {
  const sql = `SELECT ticker, argMax(feed_ids, seq) AS ids FROM markets
    WHERE hasAny(feed_ids, {ids:Array(String)}) GROUP BY ticker ORDER BY ticker`;
  const found = await readRows(clickhouse, { sql, params: { ids }, signal }, storedRow);
  return {
    markets: found.map(({ ticker, ids: [condition, yes, no] }) => ({
      ticker,
      ids: { condition: condition || null, yes: yes || null, no: no || null },
    })),
  };
};
