import { coinNamed, tickersOfCoin } from '@almanac/contracts';
import type { CoinTrade } from '../model/feed-message.js';

/** The price of a coin at a time: its last trade up to then, and the age of that trade. */
export interface CoinPrice {
  readonly price: string;
  readonly ageUs: number;
}

export interface CoinPrices {
  /** Takes trades in time order. */
  see(trade: CoinTrade): void;
  /** Null before the first trade of the market's coin, and for a market without a known coin. */
  at(ticker: string, us: number): CoinPrice | null;
}

/**
 * The last trade of each coin. Trades and book messages are merged by time, so the last trade taken is the last up to
 * now. Of two in one microsecond the later counts. The start of a ticker names the coin: `KXBTC15M-…` and
 * `btc-updown-…` are `BTC-USD`.
 */
export const coinPrices = (): CoinPrices => {
  const trades = new Map<string, CoinTrade>();
  const coins = new Map<string, string | null>();
  const coinOf = (ticker: string): string | null => {
    const series = ticker.slice(0, Math.max(0, ticker.indexOf('-')));
    let coin = coins.get(series);
    if (coin === undefined) {
      coin = Array.from(trades.keys()).find((symbol) => isAbout(series, symbol)) ?? null;
      if (coins.size < seriesMax) coins.set(series, coin);
    }
    return coin;
  };
  return {
    see: (trade) => {
      if (!trades.has(trade.symbol)) coins.clear();
      if (trades.has(trade.symbol) || trades.size < coinsMax) trades.set(trade.symbol, trade);
    },
    at: (ticker, us) => {
      if (trades.size === 0) return null;
      const coin = coinOf(ticker);
      const trade = coin === null ? undefined : trades.get(coin);
      return trade === undefined ? null : { price: trade.price, ageUs: us - trade.us };
    },
  };
};

const coinsMax = 1_000;
const seriesMax = 10_000;

const isAbout = (series: string, symbol: string): boolean => {
  const coin = coinNamed(symbol);
  return coin !== null && new RegExp(tickersOfCoin(coin).pattern).test(`${series}-`);
};
