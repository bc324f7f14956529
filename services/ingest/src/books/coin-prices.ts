import type { CoinTrade } from './feed-message.js';

/** The price of a coin at a moment: the last trade at or before it, and how long before. */
export interface CoinPrice {
  readonly price: string;
  readonly ageUs: number;
}

export interface CoinPrices {
  /** Trades in order of time. */
  see(trade: CoinTrade): void;
  /** Null before the first trade of the market's coin, and for a market of no coin that was seen. */
  at(ticker: string, us: number): CoinPrice | null;
}

/**
 * The last trade of each coin. Trades and book messages come merged by time, so the last one seen is the last at or
 * before now; of two in one microsecond the later counts. Which coin a market is about stands in the beginning of its name:
 * `KXBTC15M-…` and `btc-updown-…` are `BTC-USD`.
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

/** Behind the coin: nothing, `D` for a day, or a length of time such as `15M`. */
const term = /^(?:D|\d+[A-Z]*)?$/;

const isAbout = (series: string, symbol: string): boolean => {
  const coin = symbol.split('-', 1)[0] ?? '';
  const named = series.toUpperCase();
  if (coin === '' || named === coin) return coin !== '';
  return named.startsWith(`KX${coin}`) && term.test(named.slice(2 + coin.length));
};
