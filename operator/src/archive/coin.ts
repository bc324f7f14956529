import { randomFrom, seedOf } from './random.js';

const startPrice = 96_000;
const stepS = 2;

/** An invented coin price: a random walk in steps of two seconds that stays near its start. Times are Unix seconds. */
export interface CoinPath {
  readonly at: (second: number) => number;
}

/** A walk to the end, and one back to the begin. So an earlier begin changes no later price. */
export const coinPath = (middleS: number, { beginS, endS }: { beginS: number; endS: number }): CoinPath => {
  const earlier = walk('generated coin before', (middleS - beginS) / stepS).toReversed();
  const prices = [...earlier, ...walk('generated coin', (endS - middleS) / stepS + 1)];
  return {
    at: (second) =>
      prices[Math.max(0, Math.min(prices.length - 1, Math.floor((second - beginS) / stepS)))] ?? startPrice,
  };
};

const walk = (seed: string, steps: number): readonly number[] => {
  const random = randomFrom(seedOf(seed));
  let price = startPrice;
  return Array.from({ length: steps }, () => {
    const pull = (startPrice - price) * 0.0002;
    price += pull + (random() - 0.5) * 24;
    return Math.round(price * 100) / 100;
  });
};

/** The chance that the price ends at or above a strike, as a quote in whole cents from 1 to 99. */
export const yesCents = (price: number, strike: number, remainingS: number): number => {
  const spread = 6 * Math.sqrt(Math.max(1, remainingS));
  const chance = 1 / (1 + Math.exp((-1.7 * (price - strike)) / spread));
  return Math.max(1, Math.min(99, Math.round(chance * 100)));
};
