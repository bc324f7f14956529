import type { RpcContext } from '@almanac/bus/server';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import type { coinPricesRpc, OutputOf } from '@almanac/contracts';
import { z } from 'zod';

const storedCoin = z.object({ coin: z.string(), min_us: z.coerce.number(), max_us: z.coerce.number() });

/** The coins with stored prices. There are few. */
export const answerCoins = async (
  clickhouse: ClickHouse,
  { signal }: Pick<RpcContext, 'signal'>,
): Promise<OutputOf<typeof coinPricesRpc.coins>> => {
  const sql = `SELECT coin, toString(toUnixTimestamp64Micro(min(ts))) AS min_us, toString(toUnixTimestamp64Micro(max(ts))) AS max_us
    FROM coin_prices GROUP BY coin ORDER BY coin`;
  return { coins: await rows(clickhouse, { sql, signal }, storedCoin) };
};
