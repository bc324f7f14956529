import { type Coverage, coverageOf, secondsOf, spanBasis, spanClock } from '@almanac/contracts';
import type { z } from 'zod';
import type { VenueRange } from '../candles/venue-ranges.js';
import { storedSpan } from '../gaps/market-gaps.js';
import type { MarketTimes } from '../window/window.js';
import type { PreviewStats } from './stats-sql.js';

const shownMax = 1_000;

/** The recorded spans of a market. Params: ticker. */
export const spansSql = `SELECT layer, start_us, end_us, tolerance_us, end_reason, basis, clock FROM recorded_spans FINAL
WHERE ticker = {ticker:String} ORDER BY start_us
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

/** What a span of a preview says beside its times. */
export const describedSpan = storedSpan.extend({ basis: spanBasis.nullable(), clock: spanClock.nullable() });

export interface CoverageInput {
  readonly spans: readonly z.output<typeof describedSpan>[];
  readonly stats: PreviewStats;
  readonly times: MarketTimes;
  /** End of the window, until which a gap without an end is counted. */
  readonly endUs: number;
  readonly ranges: readonly VenueRange[];
}

/** The `coverage` of a preview. */
export const coverageFields = ({ spans, stats, times, endUs, ranges }: CoverageInput) => {
  const [firstUs, lastUs] = stats.prints > 0 ? [stats.first_us, stats.last_us] : [null, null];
  const coverage = coverageOf(spans, { ...times, firstUs, lastUs });
  return {
    first_print_ts: secondsOf(firstUs),
    last_print_ts: secondsOf(lastUs),
    has_l2: stats.has_l2,
    prints: stats.prints,
    ...shareFields(coverage),
    gaps: coverage.gaps.slice(-shownMax).map((gap) => ({
      start_ts: secondsOf(gap.startUs),
      end_ts: secondsOf(gap.endUs),
      reason: gap.reason,
      missing: gap.missing,
    })),
    gaps_n: coverage.gaps.length,
    gap_s: secondsOf(coverage.gaps.reduce((sum, gap) => sum + Math.max(0, (gap.endUs ?? endUs) - gap.startUs), 0)),
    spans: spans.slice(-shownMax).map(({ start_us, end_us, layer, basis, clock }) => ({
      start_ts: secondsOf(start_us),
      end_ts: secondsOf(end_us),
      layer,
      basis,
      clock,
    })),
    spans_n: spans.length,
    ...(ranges.length > 0 && { venue_candles: ranges.map(rangeFields) }),
  };
};

const rangeFields = ({ source, periodS, startUs, endUs, candles }: VenueRange) => ({
  source,
  period_s: periodS,
  start_ts: secondsOf(startUs),
  end_ts: secondsOf(endUs),
  candles,
});

const shareFields = ({ coveredUs, booksCoveredUs, lifetimeUs }: Coverage) => ({
  covered_s: secondsOf(coveredUs),
  covered_share:
    coveredUs === null || lifetimeUs === null || lifetimeUs === 0
      ? null
      : Math.min(1, Math.round((coveredUs / lifetimeUs) * 1e6) / 1e6),
  books_covered_s: secondsOf(booksCoveredUs),
});
