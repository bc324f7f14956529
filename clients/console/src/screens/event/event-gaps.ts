import type { CoverageGap, MarketQuality } from '@almanac/client';

/** A gap, and the share of the drawn markets that it is of. */
export interface ChartedGap {
  readonly gap: CoverageGap;
  readonly share: number;
}

/** The gaps of the drawn markets. The same gap of several markets, as of an outage, is one. */
export const gapsOf = (
  tickers: readonly string[],
  recorded: ReadonlyMap<string, Pick<MarketQuality, 'gaps'>>,
): ChartedGap[] => {
  const found = new Map<string, { gap: CoverageGap; count: number }>();
  for (const ticker of tickers) {
    for (const gap of recorded.get(ticker)?.gaps ?? []) {
      if (gap.missing !== 'all') continue;
      const key = `${gap.start_ts} ${gap.end_ts}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { gap, count: 1 });
      else known.count += 1;
    }
  }
  return [...found.values()].map(({ gap, count }) => ({ gap, share: count / tickers.length }));
};
