import { z } from 'zod';
import { observedPrice } from './catalog.js';
import { micros } from '../requests/numbers.js';
import { contract, sentAgainByImporter } from '../requests/rpc.js';

/** A coin by its symbol, such as `BTC`. */
export const coin = z.string().regex(/^[A-Z0-9]{2,12}$/);

/** The columns of a stored batch of coin prices, in the order of its tab-separated values. */
export const coinPriceColumns = ['coin', 'ts', 'price'] as const;

/** A currency that equals USD, after the coin or not: `BTC-USD`, `btc/usdt`, `BTCUSDC`. */
const inDollars = /[-/_:]?USD[TC]?$/;

/** The coin that a source names. Null for another currency, such as `BTC-EUR`, and for a name that is no symbol. */
export const coinNamed = (text: string): string | null => {
  const named = text.trim().toUpperCase();
  const { success, data } = coin.safeParse(named.replace(inDollars, '') || named);
  return success ? data : null;
};

/** Names in the tickers of Polymarket, beside symbols: `bitcoin-up-or-down-…`. */
const names: Readonly<Record<string, string>> = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  SOL: 'solana',
  DOGE: 'dogecoin',
};

/** What follows the coin in a series of Kalshi: nothing, `D` for a day, or a length such as `15M`. */
const term = '(D|[0-9]+[A-Z]*)?';

/** How the tickers of a coin's markets begin, and the pattern that all of them match: `KXBTC15M-…`, `btc-updown-…`. */
export const tickersOfCoin = (symbol: string): { readonly starts: readonly string[]; readonly pattern: string } => {
  const plain = [symbol, symbol.toLowerCase(), ...(names[symbol] === undefined ? [] : [names[symbol]])];
  return { starts: [`KX${symbol}`, ...plain], pattern: `^(KX${symbol}${term}|${plain.join('|')})-` };
};

/** One part of the work, in the order of tickers. `after` is the `next` of the call before. */
const part = z.object({
  coin,
  from_us: micros,
  to_us: micros,
  after: z.string().default(''),
});
const next = z.string().nullable();

export const coinPricesRpc = {
  /** The coins with stored prices, and the times of their first and last one. */
  coins: contract({
    service: 'timeseries',
    method: 'coins',
    callers: ['ingest'],
    kind: 'query',
    input: z.object({}),
    output: z.object({ coins: z.array(z.object({ coin, min_us: micros, max_us: micros })) }),
    errors: [],
    timeoutMs: 15_000,
  }),
  /**
   * Gives the observations of the coin's markets in a time (at most a day) the last price at or before them, where their
   * source has none. Repeated calls change nothing. `markets` are those that changed.
   */
  joinCoinPrices: contract({
    service: 'timeseries',
    method: 'join-coin-prices',
    callers: ['ingest'],
    kind: 'command',
    repeats: sentAgainByImporter,
    input: part,
    output: z.object({ markets: z.array(z.object({ ticker: z.string(), rows: z.int() })), next }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),
};

export const coinMomentsRpc = {
  /** The last prices of the coin at or before the opens and closes of its markets in a time. */
  coinMoments: contract({
    service: 'catalog',
    method: 'coin-moments',
    callers: ['ingest'],
    kind: 'query',
    input: part,
    output: z.object({
      markets: z.array(z.object({ ticker: z.string(), open_price: observedPrice, last_price: observedPrice })),
      next,
    }),
    errors: [],
    timeoutMs: 15_000,
  }),
};
