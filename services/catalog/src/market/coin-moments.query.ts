import type { RpcContext } from '@almanac/bus/server';
import { type ClickHouse, coinPricesIn, isSoonAfter, marketsOfCoin } from '@almanac/clickhouse';
import type { coinMomentsRpc, InputOf, MarketState, OutputOf } from '@almanac/contracts';
import { z } from 'zod';
import { readRows } from '../tables/read-rows.js';

const marketsMax = 1_000;

const inTime = (us: string): string => `ifNull(${us} >= {from_us:Int64} AND ${us} < {to_us:Int64}, false)`;

/** The next markets with an open or a close in the time, and the last price at or before each of them, if it is close enough. */
const momentsSql = (ofCoin: string): string => `SELECT ticker,
  groupArrayIf((moment, toString(price), toString(toUnixTimestamp64Micro(found.ts))), ${isSoonAfter('at', 'found.ts')}) AS moments
FROM (SELECT ticker, {coin:String} AS coin, stated.1 AS moment, fromUnixTimestamp64Micro(assumeNotNull(stated.2), 'UTC') AS at
  FROM (SELECT ticker, open_us, close_us FROM markets FINAL WHERE ticker > {after:String} AND ${ofCoin}
    AND (${inTime('open_us')} OR ${inTime('close_us')}) ORDER BY ticker LIMIT ${marketsMax}) AS markets_in_time
  ARRAY JOIN [('open', open_us), ('close', close_us)] AS stated WHERE ${inTime('stated.2')}) AS listed
ASOF LEFT JOIN ${coinPricesIn} AS found ON listed.coin = found.coin AND listed.at >= found.ts
GROUP BY ticker ORDER BY ticker`;

const listed = z.object({
  ticker: z.string(),
  moments: z.array(z.tuple([z.enum(['open', 'close']), z.string(), z.coerce.number()])),
});

/** The prices of a coin at the opens and closes of its markets in a time. */
export const coinMoments = async (
  clickhouse: ClickHouse,
  { coin, from_us, to_us, after }: InputOf<typeof coinMomentsRpc.coinMoments>,
  { signal }: Pick<RpcContext, 'signal'>,
): Promise<OutputOf<typeof coinMomentsRpc.coinMoments>> => {
  const { sql, params } = marketsOfCoin(coin);
  const query = { sql: momentsSql(sql), params: { ...params, coin, from_us, to_us, after }, signal };
  const markets = await readRows(clickhouse, query, listed);
  const priceAt = ({ moments }: z.output<typeof listed>, moment: 'open' | 'close'): MarketState['open_price'] => {
    const [, price, us] = moments.find(([name]) => name === moment) ?? [];
    return price === undefined || us === undefined ? null : { price, us };
  };
  return {
    markets: markets
      .filter(({ moments }) => moments.length > 0)
      .map((market) => ({
        ticker: market.ticker,
        open_price: priceAt(market, 'open'),
        last_price: priceAt(market, 'close'),
      })),
    next: markets.length < marketsMax ? null : (markets.at(-1)?.ticker ?? null),
  };
};
