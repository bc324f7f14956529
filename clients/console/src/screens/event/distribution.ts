import type { Market } from '@almanac/client';
import type { Line } from './event-data.js';

type Strike = Pick<Market, 'ticker' | 'floor_strike' | 'strike_type'>;

/** What prices of a ladder say about the value that it will be settled on. */
export type LadderKind = 'above' | 'below' | 'between';

const strikesMin = 3;

/** Undefined: the markets do not have one kind of strike, each its own. */
export const ladderKindOf = (markets: readonly Strike[]): LadderKind | undefined => {
  const strikes = new Set(markets.map(({ floor_strike }) => floor_strike));
  if (strikes.size < Math.max(strikesMin, markets.length) || strikes.has(null)) return undefined;
  const types = markets.map(({ strike_type }) => strike_type ?? '');
  if (types.every((type) => type.startsWith('greater'))) return 'above';
  if (types.every((type) => type.startsWith('less'))) return 'below';
  return types.every((type) => type === 'between') ? 'between' : undefined;
};

/** At one time: the probability of a value at or above each bound. It never grows. */
export interface Survival {
  readonly bounds: readonly number[];
  readonly shares: readonly number[];
}

/** Pairs of strike and price, lowest strike first. Undefined where too few prices are known. */
export const survivalOf = (
  kind: LadderKind,
  rungs: readonly (readonly [number, number | null])[],
): Survival | undefined => {
  const known = rungs.flatMap(([strike, price]) => (price === null ? [] : [[strike, price] as const]));
  if (known.length < strikesMin) return undefined;
  if (kind === 'between') return known.length < rungs.length ? undefined : survivalOfBands(known);
  let least = 1;
  const shares = known.map(([, price]) => {
    // Prices of neighbours can contradict each other by their spread.
    least = Math.min(least, kind === 'above' ? price : 1 - price);
    return least;
  });
  return { bounds: known.map(([strike]) => strike), shares };
};

/** Each market is a band from its strike to the next one. The last is as wide as the one before it. */
const survivalOfBands = (bands: readonly (readonly [number, number])[]): Survival | undefined => {
  const sum = bands.reduce((total, [, price]) => total + price, 0);
  if (sum <= 0) return undefined;
  const strikes = bands.map(([strike]) => strike);
  const [last = 0, before = 0] = [strikes.at(-1), strikes.at(-2)];
  let rest = sum;
  const shares = bands.map(([, price]) => Math.max(0, (rest -= price) / sum));
  return { bounds: [...strikes, 2 * last - before], shares: [1, ...shares] };
};

/** The value that is not reached with this probability. Null where it is outside of the bounds. */
export const quantileOf = ({ bounds, shares }: Survival, probability: number): number | null => {
  // The noise of floats must not push a value out of the bounds.
  const wanted = Math.round((1 - probability) * 1e9) / 1e9;
  if ((shares[0] ?? 0) < wanted) return null;
  for (let at = 1; at < bounds.length; at += 1) {
    const [above, below] = [shares[at - 1] ?? 0, shares[at] ?? 0];
    const [from, to] = [bounds[at - 1] ?? 0, bounds[at] ?? 0];
    if (below > wanted) continue;
    return above === below ? from : from + ((above - wanted) / (above - below)) * (to - from);
  }
  return null;
};

/** The probability of a value between two neighbouring bounds, by the width of a unit. */
export const densityAt = ({ bounds, shares }: Survival, value: number): number => {
  const at = bounds.findLastIndex((bound) => bound <= value);
  const [from, to] = [bounds[at], bounds[at + 1]];
  if (from === undefined || to === undefined) return 0;
  return ((shares[at] ?? 0) - (shares[at + 1] ?? 0)) / (to - from);
};

export interface Distribution {
  readonly ts: readonly number[];
  readonly survivals: readonly (Survival | undefined)[];
  readonly quantiles: Readonly<Record<'low' | 'median' | 'high', readonly (number | null)[]>>;
}

/** The inner 80 %. */
const probabilities = { low: 0.1, median: 0.5, high: 0.9 } as const;

/** The distribution at each time of the lines. */
export const distributionOf = (
  kind: LadderKind,
  markets: readonly Strike[],
  lines: ReadonlyMap<string, Line>,
): Distribution => {
  const rungs = markets
    .flatMap(({ ticker, floor_strike }) => {
      const line = lines.get(ticker);
      return line === undefined || floor_strike === null ? [] : [{ strike: floor_strike, line }];
    })
    .toSorted((one, other) => one.strike - other.strike);
  const ts = rungs[0]?.line.ts ?? [];
  const survivals = ts.map((_, at) =>
    survivalOf(
      kind,
      rungs.map(({ strike, line }) => [strike, line.prices[at] ?? null]),
    ),
  );
  const quantilesOf = (probability: number): (number | null)[] =>
    survivals.map((survival) => (survival === undefined ? null : rounded(quantileOf(survival, probability))));
  const { low, median, high } = probabilities;
  return { ts, survivals, quantiles: { low: quantilesOf(low), median: quantilesOf(median), high: quantilesOf(high) } };
};

/** Values of an interpolation have more digits than they mean. */
const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(8)));
