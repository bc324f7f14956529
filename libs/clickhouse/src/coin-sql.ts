import { coinPriceAgeUsMax, tickersOfCoin } from '@almanac/contracts';

/** A condition on `ticker`: a market of the coin. The primary key narrows its starts down. */
export const marketsOfCoin = (
  coin: string,
): { readonly sql: string; readonly params: Readonly<Record<string, string>> } => {
  const { starts, pattern } = tickersOfCoin(coin);
  const conditions = starts.map((_, index) => `startsWith(ticker, {start_${index}:String})`);
  return {
    sql: `(${conditions.join(' OR ')}) AND match(ticker, {pattern:String})`,
    params: { pattern, ...Object.fromEntries(starts.map((start, index) => [`start_${index}`, start])) },
  };
};

/** The prices that hold in a time, once each. Params: coin, from_us, to_us. Columns: coin, ts, price. */
export const coinPricesIn = `(SELECT coin, ts, price FROM coin_prices FINAL WHERE coin = {coin:String}
  AND ts >= fromUnixTimestamp64Micro({from_us:Int64} - ${coinPriceAgeUsMax}, 'UTC') AND ts < fromUnixTimestamp64Micro({to_us:Int64}, 'UTC'))`;

/** A condition: a time is not too long after that of a price, both DateTime64(6). */
export const isSoonAfter = (time: string, price: string): string =>
  `toUnixTimestamp64Micro(${time}) - toUnixTimestamp64Micro(${price}) <= ${coinPriceAgeUsMax}`;
