import {
  type BookQuality,
  contradictions,
  coveredTimes,
  type CoverageGap,
  type MarketState,
  type SpanBasis,
  type TimeRange,
} from '@almanac/contracts';
import type { KnownTimes, Span } from '../gaps/market-gaps.js';
import type { MarketContext } from '../market-context.js';

/** What is known of one market. */
export interface KnownMarket {
  readonly market: MarketContext;
  readonly known: KnownTimes;
}

/** The coverage of a market or of several in a time. `coveredUs` is null if nothing states completeness. */
export interface RangeCoverage {
  readonly coveredUs: number | null;
  readonly expectedUs: number | null;
  /** Of gaps in which nothing is known. Gaps of books alone do not count. */
  readonly unknownUs: number;
}

export const overlapUs = (time: TimeRange, range: TimeRange): number =>
  Math.max(0, Math.min(time.endUs, range.endUs) - Math.max(time.startUs, range.startUs));

const overlapsUs = (times: readonly TimeRange[], range: TimeRange): number =>
  times.reduce((sum, time) => sum + overlapUs(time, range), 0);

/** Times that were covered, that count for it, and those of gaps. A gap without an end lasts until now. */
export const timesOf = ({ market: { times }, known }: KnownMarket) => {
  const { openUs, closeUs, nowUs } = times;
  return {
    covered: coveredTimes(known.spans, times),
    expected: openUs === null || closeUs === null ? null : { startUs: openUs, endUs: Math.min(closeUs, nowUs) },
    gaps: known.gaps.map((gap) => ({ ...gap, untilUs: gap.endUs ?? nowUs })),
  };
};

export const coverageIn = (one: KnownMarket, range: TimeRange): RangeCoverage => {
  const { covered, expected, gaps } = timesOf(one);
  const unknown = gaps.filter(({ missing }) => missing === 'all').map(rangeOfGap);
  return {
    coveredUs: covered === null ? null : overlapsUs(covered, range),
    expectedUs: expected === null ? null : overlapUs(expected, range),
    unknownUs: overlapsUs(unknown, range),
  };
};

type TimedGap = CoverageGap & { readonly untilUs: number };
export const rangeOfGap = ({ startUs, untilUs }: TimedGap): TimeRange => ({ startUs, endUs: untilUs });

/** The gaps that reach into a range, with the times that the preview has. */
export const gapsIn = (one: KnownMarket, range: TimeRange): readonly TimedGap[] =>
  timesOf(one).gaps.filter((gap) => overlapUs(rangeOfGap(gap), range) > 0);

/**
 * Parts of a million, so that equal shares are equal in a cursor. Only what is covered completely has all of them. Null if
 * nothing was expected or stated.
 */
export const shareOf = ({ coveredUs, expectedUs }: RangeCoverage): number | null => {
  if (coveredUs === null || expectedUs === null || expectedUs === 0) return null;
  if (coveredUs >= expectedUs) return million;
  return Math.min(million - 1, Math.round((coveredUs / expectedUs) * million));
};

export const million = 1_000_000;
/** After every share. */
const nothingExpected = 2 * million;

/** The order of the worst. Without a statement of completeness, the share of the time without gaps counts. */
export const rankOf = (coverage: RangeCoverage): number => {
  const { expectedUs, unknownUs } = coverage;
  if (expectedUs === null || expectedUs === 0) return nothingExpected;
  return shareOf(coverage) ?? Math.max(0, Math.round((1 - unknownUs / expectedUs) * million));
};

/** When a market was open, by the rule of `wasOpen` of libs/clickhouse. */
export const openTimeOf = (
  { open_us: openUs, close_us: closeUs, venue_status: status }: MarketState,
  range: TimeRange,
): TimeRange => {
  const startUs = openUs ?? (closeUs === null ? range.startUs : closeUs - 1);
  if (closeUs !== null) return { startUs, endUs: Math.max(closeUs, startUs + 1) };
  return { startUs, endUs: status === 'open' || status === 'active' ? range.endUs : startUs + 1 };
};

/** The basis of the span that ends where a gap begins. */
export const basisBefore = (spans: readonly Span[], { startUs, missing }: CoverageGap): SpanBasis | null =>
  spans.find(
    ({ layer, end_us: endUs, basis }) => endUs === startUs && basis !== null && (missing === 'all' || layer === 'l2'),
  )?.basis ?? null;

const contradicting: readonly string[] = Object.values(contradictions);

/** What the spans of books in a range rest on. Null without books. */
export const bookQualityOf = (one: KnownMarket, range: TimeRange, books: number): BookQuality | null => {
  const { asOfUs } = one.market;
  const spans = one.known.spans.filter(
    ({ layer, start_us, end_us }) => layer === 'l2' && start_us < range.endUs && end_us >= range.startUs,
  );
  if (spans.length === 0) return books > 0 ? 'unverifiable' : null;
  const isContradicted = ({ end_us, end_reason }: Span): boolean =>
    end_us < range.endUs && end_reason !== null && contradicting.includes(end_reason);
  if (spans.some(isContradicted)) return 'contradicted';
  // A span that went on after `as_of` may have got its basis later.
  const isVerified = ({ basis, end_us }: Span): boolean =>
    (basis === 'sequence' || basis === 'snapshot') && (asOfUs === null || end_us < asOfUs);
  return spans.every(isVerified) ? 'verified' : 'unverifiable';
};
