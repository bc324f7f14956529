import { type CatalogueFact, coinPriceAgeUsMax, tickersOfCoin } from '@almanac/contracts';
import type { CoinArchive } from '../../archive.js';
import type { RecordedRow } from './memory-archive.js';

/** A price as the store reads it from the tab-separated body. */
export interface RecordedCoinPrice {
  readonly coin: string;
  readonly us: number;
  readonly price: string;
}

interface Stored {
  readonly rows: Map<string, RecordedRow>;
  readonly facts: () => readonly Extract<CatalogueFact, { kind: 'market' }>[];
}

/** Time of a row in microseconds, as the archive has it. */
const usOf = (ts: string): number => Math.round(Number(ts) * 1e6);

/** Prices of coins in memory, with the rule of the real archive. All markets are one part. */
export const memoryCoins = ({ rows, facts }: Stored) => {
  const prices = new Map<string, RecordedCoinPrice>();
  const joined = new Set<string>();
  const priceAt = (coin: string, us: number): RecordedCoinPrice | null => {
    const before = Array.from(prices.values()).filter((one) => one.coin === coin && one.us <= us);
    const last = before.toSorted((a, b) => a.us - b.us).at(-1);
    return last !== undefined && us - last.us <= coinPriceAgeUsMax ? last : null;
  };
  const isOf = (coin: string, ticker: string): boolean => new RegExp(tickersOfCoin(coin).pattern).test(ticker);
  const coins: CoinArchive = {
    known: () => {
      const byCoin = Map.groupBy(prices.values(), ({ coin }) => coin);
      const known = Array.from(byCoin, ([coin, its]) => {
        const times = its.map(({ us }) => us);
        return { coin, min_us: Math.min(...times), max_us: Math.max(...times) };
      });
      return Promise.resolve(known);
    },
    join: ({ coin, from_us, to_us }) => {
      const changed = new Map<string, number>();
      for (const [key, row] of rows) {
        const us = usOf(row.ts);
        const found = isOf(coin, row.ticker) && us >= from_us && us < to_us ? priceAt(coin, us) : null;
        const isOwn = row.coinPrice !== null && !joined.has(key);
        if (found === null || isOwn || found.price === row.coinPrice) continue;
        rows.set(key, { ...row, coinPrice: found.price });
        joined.add(key);
        changed.set(row.ticker, (changed.get(row.ticker) ?? 0) + 1);
      }
      return Promise.resolve({ markets: Array.from(changed, ([ticker, n]) => ({ ticker, rows: n })), next: null });
    },
    moments: ({ coin, from_us, to_us }) => {
      const at = (us: number | null | undefined) => {
        const found = typeof us === 'number' && us >= from_us && us < to_us ? priceAt(coin, us) : null;
        return found && { price: found.price, us: found.us };
      };
      const markets = facts()
        .filter(({ ticker }) => isOf(coin, ticker))
        .map(({ ticker, open_us, close_us }) => ({ ticker, open_price: at(open_us), last_price: at(close_us) }))
        .filter(({ open_price, last_price }) => open_price !== null || last_price !== null);
      return Promise.resolve({ markets, next: null });
    },
  };
  return {
    coins,
    prices,
    /** A row that its source states again has no joined price. */
    forget: (key: string): void => void joined.delete(key),
    put: (price: RecordedCoinPrice): void => void prices.set(`${price.coin} ${price.us}`, price),
    usOf,
  };
};
