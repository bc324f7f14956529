import { z } from 'zod';
import { micros } from '../requests/numbers.js';

/** `l2` has books and their tops, `top` has tops only. */
export const recordingLayer = z.enum(['top', 'l2']);
export const missingData = z.enum(['all', 'books']);

/**
 * Why a span is held to be complete. `sequence`: its messages are numbered, and no number is missing. `snapshot`: a later
 * whole book of the recording equals the rebuilt one. `silence`: nothing shows a loss, and the recording was never silent
 * for long. `unknown`: a loss cannot be excluded.
 */
const spanBases = ['sequence', 'snapshot', 'silence', 'unknown'] as const;
export const spanBasis = z.enum(spanBases);
export type SpanBasis = z.output<typeof spanBasis>;

/** Whose clock dates the observations of a span. */
export const spanClock = z.enum(['receipt', 'venue']);
export type SpanClock = z.output<typeof spanClock>;

/** An interval of one microsecond: times have no finer digits, so every change of a book is stored. */
export const everyChangeUs = 1;

/**
 * A time in which the recording of a market is complete: everything that the venue sent from `start_us` to `end_us` is
 * known. Two spans of a market with the same layer and start are the same span, and the one that ends later is current.
 * Times between open and close without a span are gaps.
 */
export const recordedSpan = z.object({
  ticker: z.string().min(1),
  layer: recordingLayer,
  start_us: micros,
  end_us: micros,
  /** Observations at most this far apart follow each other. */
  tolerance_us: z.int().min(0).default(0),
  /**
   * The interval of which the last book is stored. `everyChangeUs` if all are, null if unknown. Observations without books
   * have none.
   */
  sample_us: z.int().min(1).nullable().default(null),
  /** Why the recording is not complete after `end_us`. Null while it continues. */
  end_reason: z.string().min(1).nullable().default(null),
  /** Null for observations without books, and for importers that do not say. */
  basis: spanBasis.nullable().default(null),
  clock: spanClock.nullable().default(null),
});
export type RecordedSpan = z.output<typeof recordedSpan>;

export type CoverageSpan = Omit<RecordedSpan, 'ticker' | 'sample_us' | 'basis' | 'clock'>;

/** What coverage depends on besides spans. Times are integer microseconds, null if unknown. */
export interface MarketExtent {
  readonly openUs: number | null;
  readonly closeUs: number | null;
  /** Of the stored observations. */
  readonly firstUs: number | null;
  readonly lastUs: number | null;
  readonly nowUs: number;
}

/** A time between open and close that no span covers. `endUs` is null while it lasts. */
export interface CoverageGap {
  readonly startUs: number;
  readonly endUs: number | null;
  readonly reason: string;
  readonly missing: z.output<typeof missingData>;
}

export interface Coverage {
  /** In order of time. They do not overlap. */
  readonly gaps: readonly CoverageGap[];
  /** Time between open and close within spans. Null if the market has no span. */
  readonly coveredUs: number | null;
  readonly booksCoveredUs: number | null;
  /** From open to close, or to now for a live market. Null if either is unknown. */
  readonly lifetimeUs: number | null;
}

/**
 * The coverage of a market. With spans, only spans count. Without any, completeness is unknown, so only the times before
 * its first and after its last observation are gaps.
 */
export const coverageOf = (spans: readonly CoverageSpan[], extent: MarketExtent): Coverage => {
  const all = islandsOf(spans);
  const books = islandsOf(spans.filter(({ layer }) => layer === 'l2'));
  const known = all.length > 0 ? all : observedIsland(extent);
  const gaps = gapsBetween(known, extent, 'all');
  const bookGaps = books.length === 0 ? [] : gapsBetween(books, extent, 'books').flatMap((gap) => without(gap, gaps));
  return {
    gaps: [...gaps, ...bookGaps].toSorted((a, b) => a.startUs - b.startUs),
    coveredUs: all.length === 0 ? null : lengthOf(timesWithin(all, extent)),
    booksCoveredUs: books.length === 0 ? null : lengthOf(timesWithin(books, extent)),
    lifetimeUs:
      extent.openUs === null || extent.closeUs === null
        ? null
        : Math.max(0, Math.min(extent.closeUs, extent.nowUs) - extent.openUs),
  };
};

/** Spans that follow each other, joined. */
interface Island {
  readonly startUs: number;
  endUs: number;
  readonly startToleranceUs: number;
  endToleranceUs: number;
  endReason: string | null;
}

const islandsOf = (spans: readonly CoverageSpan[]): readonly Island[] => {
  const islands: Island[] = [];
  for (const span of spans.toSorted((a, b) => a.start_us - b.start_us)) {
    const { start_us: startUs, end_us: endUs, tolerance_us: toleranceUs, end_reason: endReason } = span;
    const last = islands.at(-1);
    if (last === undefined || startUs - last.endUs > Math.max(last.endToleranceUs, toleranceUs))
      islands.push({ startUs, endUs, startToleranceUs: toleranceUs, endToleranceUs: toleranceUs, endReason });
    else if (endUs > last.endUs) Object.assign(last, { endUs, endToleranceUs: toleranceUs, endReason });
  }
  return islands;
};

const observedIsland = ({ firstUs, lastUs }: MarketExtent): readonly Island[] =>
  firstUs === null || lastUs === null
    ? []
    : [{ startUs: firstUs, endUs: lastUs, startToleranceUs: 0, endToleranceUs: 0, endReason: null }];

/** Reasons for the end of a span: something in the recording contradicts the books before it. */
export const contradictions = {
  otherBook: 'the next whole book differs from the rebuilt one',
  otherTop: 'the venue states another best bid or ask',
  negative: 'the size of a level would be negative',
} as const;

export const gapReasons = {
  nothing: 'nothing was recorded',
  start: 'nothing was recorded before',
  end: 'nothing was recorded after',
} as const;

const gapsBetween = (
  islands: readonly Island[],
  extent: MarketExtent,
  missing: CoverageGap['missing'],
): readonly CoverageGap[] => {
  const { openUs, closeUs, nowUs } = extent;
  const isClosed = closeUs !== null && closeUs <= nowUs;
  const gaps: CoverageGap[] = [];
  const add = (startUs: number, endUs: number | null, reason: string): void => {
    const start = Math.max(startUs, openUs ?? startUs);
    const end = endUs === null ? null : Math.min(endUs, closeUs ?? endUs);
    if (end === null || end > start) gaps.push({ startUs: start, endUs: end, reason, missing });
  };
  const [first] = islands;
  if (first === undefined) {
    if (openUs !== null && isClosed) add(openUs, closeUs, gapReasons.nothing);
    return gaps;
  }
  if (openUs !== null && first.startUs - openUs > first.startToleranceUs) add(openUs, first.startUs, gapReasons.start);
  islands.forEach((island, at) => {
    const next = islands[at + 1];
    const reason = island.endReason ?? gapReasons.end;
    if (next !== undefined) return add(island.endUs, next.startUs, reason);
    if (isClosed && closeUs - island.endUs > island.endToleranceUs) add(island.endUs, closeUs, reason);
    if (!isClosed && island.endReason !== null) add(island.endUs, null, reason);
  });
  return gaps;
};

/** The parts of a gap outside of others, which are in order of time. */
const without = (gap: CoverageGap, others: readonly CoverageGap[]): readonly CoverageGap[] => {
  const parts: CoverageGap[] = [];
  let startUs = gap.startUs;
  for (const other of others) {
    if (other.endUs !== null && other.endUs <= startUs) continue;
    if (gap.endUs !== null && other.startUs >= gap.endUs) break;
    if (other.startUs > startUs) parts.push({ ...gap, startUs, endUs: other.startUs });
    if (other.endUs === null) return parts;
    startUs = other.endUs;
  }
  return gap.endUs === null || gap.endUs > startUs ? [...parts, { ...gap, startUs }] : parts;
};

/** A time from `startUs` to `endUs`. */
export interface TimeRange {
  readonly startUs: number;
  readonly endUs: number;
}

/** The times between open and close for which the recording is complete, in order. Null if the market has no span. */
export const coveredTimes = (
  spans: readonly CoverageSpan[],
  extent: Pick<MarketExtent, 'openUs' | 'closeUs'>,
): readonly TimeRange[] | null => (spans.length === 0 ? null : timesWithin(islandsOf(spans), extent));

const timesWithin = (
  islands: readonly Island[],
  { openUs, closeUs }: Pick<MarketExtent, 'openUs' | 'closeUs'>,
): readonly TimeRange[] =>
  islands.flatMap(({ startUs, endUs }) => {
    const [from, to] = [Math.max(startUs, openUs ?? startUs), Math.min(endUs, closeUs ?? endUs)];
    return to > from ? [{ startUs: from, endUs: to }] : [];
  });

const lengthOf = (times: readonly TimeRange[]): number =>
  times.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0);

const number = z.number().nullable();
const total = z.int().min(0);

export const coverageGap = z
  .object({
    start_ts: z
      .number()
      .meta({ description: 'Last time at which the market was known, in Unix seconds', examples: [1778763701.5] }),
    end_ts: number.meta({
      description: 'Time at which the market was known again, in Unix seconds. Null if it is still unknown',
      examples: [1778763704.25],
    }),
    reason: z.string().meta({ description: 'Reason for the gap', examples: ['messages are missing in the sequence'] }),
    missing: missingData.meta({
      description: '`all` if nothing is known, `books` if prices are known and order books are not',
      examples: ['all'],
    }),
  })
  .meta({ id: 'CoverageGap', description: 'A time between open and close for which the recording is incomplete.' });
const span = z
  .object({
    start_ts: z.number().meta({ description: 'Start in Unix seconds', examples: [1778763600.25] }),
    end_ts: z.number().meta({ description: 'End in Unix seconds', examples: [1778763701.5] }),
    layer: recordingLayer.meta({ description: '`l2` has order books, `top` has best prices only', examples: ['l2'] }),
    basis: spanBasis.nullable().meta({
      description:
        'Why the span is held to be complete. `sequence`: no number of its messages is missing. `snapshot`: a later whole book equals the rebuilt one. `silence`: nothing shows a loss, and the recording was never silent for long. `unknown`: a loss cannot be excluded. Null if the recording does not say',
      examples: ['sequence'],
    }),
    clock: spanClock.nullable().meta({
      description:
        'Whose clock dates the observations: that of the `receipt`, or of the `venue` if nobody noted a receipt',
      examples: ['receipt'],
    }),
  })
  .meta({ id: 'CoverageSpan', description: 'A time in which the recording is complete.' });
const venueCandleRange = z
  .object({
    source: z.string().meta({ description: 'Whose candles they are', examples: ['kalshi'] }),
    period_s: z
      .int()
      .min(1)
      .meta({ description: 'Length of their period in seconds', examples: [3600] }),
    start_ts: z.number().meta({ description: 'Start of the first one, in Unix seconds', examples: [1774965600] }),
    end_ts: z.number().meta({ description: 'End of the last one, in Unix seconds', examples: [1775106000] }),
    candles: total.meta({ description: 'Number of candles', examples: [39] }),
  })
  .meta({ id: 'VenueCandleRange', description: 'Stored candles of a venue in one period.' });

export const previewCoverage = z
  .object({
    first_print_ts: number.meta({
      description: 'Time of the first stored observation, in Unix seconds',
      examples: [1771992901.5],
    }),
    last_print_ts: number.meta({
      description: 'Time of the last stored observation, in Unix seconds',
      examples: [1771993799.8],
    }),
    has_l2: z.boolean().meta({ description: 'Whether order books were captured', default: false }),
    prints: total.meta({ description: 'Number of stored observations', examples: [450], default: 0 }),
    covered_s: number.meta({
      description:
        'Seconds between open and close with a complete recording. Null if no recording of the market states its completeness',
      examples: [897.25],
    }),
    covered_share: number.meta({
      description: '`covered_s` as a share of the time from open to close, or until now for a live market',
      examples: [0.996944],
    }),
    books_covered_s: number.meta({
      description: 'Seconds between open and close with a complete recording of order books',
      examples: [897.25],
    }),
    gaps: z
      .array(coverageGap)
      .meta({ description: 'Gaps between open and close, oldest first. At most the last 1,000', default: [] }),
    gaps_n: total.meta({ description: 'Total number of gaps', examples: [1], default: 0 }),
    gap_s: z
      .number()
      .min(0)
      .meta({
        description: 'Total length of all gaps in seconds. A gap without an end lasts until the end of the window',
        examples: [2.75],
        default: 0,
      }),
    spans: z.array(span).meta({ description: 'Recorded spans, oldest first. At most the last 1,000', default: [] }),
    spans_n: total.meta({ description: 'Total number of recorded spans', examples: [2], default: 0 }),
    venue_candles: z.array(venueCandleRange).optional().meta({
      description: 'Candles of the venue that are stored, by period. Absent without any. `/candles` answers them',
    }),
  })
  .meta({ id: 'PreviewCoverage', description: 'Stored data of the market.' });
