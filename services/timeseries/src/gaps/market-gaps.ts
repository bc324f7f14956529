import type { ReadCaller } from '@almanac/runtime';
import { type CoverageGap, coverageOf, DomainError, recordingLayer, spanBasis } from '@almanac/contracts';
import { z } from 'zod';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { valuesByVersion } from '../values-by-version.js';

export const storedSpan = z.object({
  layer: recordingLayer,
  start_us: z.int(),
  end_us: z.int(),
  tolerance_us: z.int(),
  end_reason: z.string().nullable(),
});

export type Span = Omit<z.output<typeof spanOfMarket>, 'ticker'>;

export interface MarketGaps {
  /** The gaps and spans of each market, in the order of the markets. */
  of(markets: readonly MarketContext[], caller: ReadCaller): Promise<readonly KnownTimes[]>;
}

/** When the recording of a market is complete. */
export interface KnownTimes {
  readonly gaps: readonly CoverageGap[];
  readonly spans: readonly Span[];
}

/** All cached spans, about 150 bytes each. */
const cachedSpansMax = 100_000;
/** Gaps that one query may get as parameters. */
const gapsMax = 10_000;

/** Params: tickers. */
const spansOfSql = `SELECT ticker, layer, start_us, end_us, tolerance_us, sample_us, end_reason, basis
FROM recorded_spans FINAL
WHERE ticker IN {tickers:Array(String)} ORDER BY ticker, start_us
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const spanOfMarket = storedSpan.extend({
  ticker: z.string(),
  sample_us: z.int().nullable(),
  basis: spanBasis.nullable(),
});

/** Spans stay in memory, so most reads need one query for their rows. */
export const marketGaps = (rows: Pick<ArchiveRows, 'parsed'>): MarketGaps => {
  const spansOf = valuesByVersion<readonly Span[]>({
    maxSize: cachedSpansMax,
    sizeOf: (spans) => spans.length + 1,
    empty: [],
    load: async (tickers, caller) => {
      const read = await rows.parsed({ sql: spansOfSql, params: { tickers } }, spanOfMarket, caller);
      return Map.groupBy(read, ({ ticker }) => ticker);
    },
  });
  return {
    of: async (markets, caller) => {
      const spansOfEach = await spansOf(markets, caller);
      return markets.map(({ times, minUs, asOfUs }, at) => {
        const spans = spansBy(spansOfEach[at] ?? [], asOfUs);
        return { spans, gaps: coverageOf(spans, { ...times, firstUs: minUs, lastUs: times.lastUs }).gaps };
      });
    },
  };
};

/** The spans as they were at a time: one that ended later went on, and one that began later did not exist. */
export const spansBy = <S extends z.output<typeof storedSpan>>(
  spans: readonly S[],
  asOfUs: number | null,
): readonly S[] =>
  asOfUs === null
    ? spans
    : spans.flatMap((span) => {
        if (span.start_us > asOfUs) return [];
        return span.end_us <= asOfUs ? [span] : [{ ...span, end_us: asOfUs, end_reason: null }];
      });

/** Gaps of prices. A book can be unknown at times at which prices are known. */
export const priceGapsOf = ({ gaps }: KnownTimes): readonly CoverageGap[] =>
  gaps.filter(({ missing }) => missing === 'all');

/** The ends of a gap are known. */
export const isInGap = (gaps: readonly CoverageGap[], atUs: number): boolean =>
  gaps.some(({ startUs, endUs }) => startUs < atUs && (endUs === null || atUs < endUs));

/** Whether spans in the order of their starts cover a time without a break. Both ends are part of it. */
export const isCovered = (
  spans: readonly Pick<Span, 'start_us' | 'end_us'>[],
  fromUs: number,
  toUs: number,
): boolean => {
  const untilUs = spans.reduce<number | null>((until, { start_us: startUs, end_us: endUs }) => {
    const continues = until === null ? startUs <= fromUs && fromUs <= endUs : startUs <= until;
    return continues ? Math.max(until ?? endUs, endUs) : until;
  }, null);
  return untilUs !== null && untilUs >= toUs;
};

/** Later than every time that can be stored. */
export const neverUs = 8_000_000_000_000_000;

/** Observations before this time say nothing about `atUs`, because a gap follows them. 0 without such a gap. */
export const knownFromUs = (gaps: readonly CoverageGap[], atUs: number): number =>
  gaps.reduce((from, { startUs, endUs }) => (startUs < atUs ? Math.max(from, endUs ?? neverUs) : from), 0);

/**
 * The gaps that matter for values in a window, as pairs for a query: those that reach into it, and the end of the last
 * one before it. An open gap lasts until `nowUs`. Throws `invalid_window` for more than a query can get.
 */
export const gapPairs = (
  gaps: readonly CoverageGap[],
  { startUs, endUs, nowUs }: { readonly startUs: number; readonly endUs: number; readonly nowUs: number },
): number[][] => {
  const before = gaps.filter((gap) => gap.endUs !== null && gap.endUs <= startUs);
  const inside = gaps.filter((gap) => gap.startUs < endUs && (gap.endUs === null || gap.endUs > startUs));
  if (inside.length > gapsMax) {
    throw new DomainError('invalid_window', `The window has ${inside.length} gaps. Send a shorter window.`);
  }
  const pairs = inside.map((gap) => [gap.startUs, gap.endUs ?? Math.max(nowUs, gap.startUs + 1)]);
  const lastEndUs = before.reduce((last, gap) => Math.max(last, gap.endUs ?? 0), 0);
  return lastEndUs === 0 ? pairs : [[0, lastEndUs], ...pairs];
};
