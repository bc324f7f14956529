import type { PeriodQuality, TimeRange } from '@almanac/contracts';
import {
  type KnownMarket,
  million,
  openTimeOf,
  overlapUs,
  rangeOfGap,
  rankOf,
  shareOf,
  timesOf,
} from './market-coverage.js';

/** Sums of the markets in one day or hour. */
interface Sums {
  marketsN: number;
  withGapsN: number;
  coveredUs: number | null;
  expectedUs: number;
  unknownUs: number;
  gapsN: number;
  gapUs: number;
}

export interface RankedPeriod {
  readonly rank: number;
  readonly period: PeriodQuality;
}

/** Adds up markets by periods of one length. Takes time in proportion to the periods that each market touches. */
export const periodSums = (range: TimeRange, periodUs: number) => {
  const count = Math.ceil((range.endUs - range.startUs) / periodUs);
  const sums = Array.from({ length: count }, (): Sums => ({
    marketsN: 0,
    withGapsN: 0,
    coveredUs: null,
    expectedUs: 0,
    unknownUs: 0,
    gapsN: 0,
    gapUs: 0,
  }));
  const boundsOf = (at: number): TimeRange => {
    const startUs = range.startUs + at * periodUs;
    return { startUs, endUs: Math.min(startUs + periodUs, range.endUs) };
  };
  const each = (time: TimeRange, add: (sum: Sums, us: number, at: number) => void): void => {
    const first = Math.max(0, Math.floor((time.startUs - range.startUs) / periodUs));
    for (let at = first; at < count && boundsOf(at).startUs < time.endUs; at += 1) {
      const [sum, us] = [sums[at], overlapUs(time, boundsOf(at))];
      if (sum !== undefined && us > 0) add(sum, us, at);
    }
  };
  return {
    add: (one: KnownMarket): void => {
      const { covered, expected, gaps } = timesOf(one);
      each(openTimeOf(one.market.state, range), (sum) => {
        sum.marketsN += 1;
        if (covered !== null) sum.coveredUs ??= 0;
      });
      if (expected !== null) each(expected, (sum, us) => void (sum.expectedUs += us));
      for (const time of covered ?? []) each(time, (sum, us) => void (sum.coveredUs = (sum.coveredUs ?? 0) + us));
      const withGap = new Set<number>();
      for (const gap of gaps) {
        each(rangeOfGap(gap), (sum, us, at) => {
          sum.gapsN += 1;
          sum.gapUs += us;
          if (gap.missing === 'all') sum.unknownUs += us;
          if (!withGap.has(at)) sum.withGapsN += 1;
          withGap.add(at);
        });
      }
    },
    result: (counts: ReadonlyMap<number, { readonly rows: number; readonly trades: number }>): RankedPeriod[] =>
      sums.map((sum, at) => ({
        rank: rankOf(sum),
        period: periodOf(sum, boundsOf(at), counts.get(at) ?? { rows: 0, trades: 0 }),
      })),
  };
};

const periodOf = (
  sum: Sums,
  { startUs, endUs }: TimeRange,
  counts: { readonly rows: number; readonly trades: number },
): PeriodQuality => {
  const share = shareOf(sum);
  return {
    start_ts: startUs / 1e6,
    end_ts: endUs / 1e6,
    markets_n: sum.marketsN,
    markets_with_gaps_n: sum.withGapsN,
    covered_s: sum.coveredUs === null ? null : sum.coveredUs / 1e6,
    expected_s: sum.expectedUs / 1e6,
    covered_share: share === null ? null : share / million,
    gaps_n: sum.gapsN,
    gap_s: sum.gapUs / 1e6,
    ...counts,
  };
};
