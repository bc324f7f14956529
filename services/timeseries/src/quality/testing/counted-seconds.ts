import { contradictions, type TimeRange } from '@almanac/contracts';
import type { RecordedMarket } from './recorded-markets.js';

const second = 1_000_000;

/** Another computation of coverage: it looks at each second, and knows nothing of islands. */
export const countedSeconds = ({ openUs, closeUs, spans }: RecordedMarket, { startUs, endUs }: TimeRange) => {
  const untilUs = Math.min(closeUs, endUs);
  let [covered, expected] = [0, 0];
  for (let us = Math.max(openUs, startUs); us < untilUs; us += second) {
    // The last second of a range that ends now is a part of one.
    const length = Math.min(second, untilUs - us) / second;
    expected += length;
    if (isCovered(spans, us)) covered += length;
  }
  return { covered_s: spans.length === 0 ? null : covered, expected_s: expected };
};

/** Within a span, or between two that are at most their tolerance apart. */
const isCovered = (spans: RecordedMarket['spans'], us: number): boolean => {
  if (spans.some(({ start_us, end_us }) => start_us <= us && us < end_us)) return true;
  const ends = spans.filter(({ end_us }) => end_us <= us).map(({ end_us }) => end_us);
  const starts = spans.filter(({ start_us }) => start_us > us).map(({ start_us }) => start_us);
  return Math.min(...starts) - Math.max(...ends) <= (spans[0]?.tolerance_us ?? 0);
};

/** What the recorded spans say about the books in a range. */
export const statedBookQuality = ({ spans, rows }: RecordedMarket, { startUs, endUs }: TimeRange): string | null => {
  const own = spans.filter(({ layer, start_us, end_us }) => layer === 'l2' && start_us < endUs && end_us >= startUs);
  const hasBooks = rows.some(({ us, book }) => us >= startUs && us < endUs && book);
  if (own.length === 0) return hasBooks ? 'unverifiable' : null;
  const isContradicted = own.some(({ end_us, end_reason }) => end_us < endUs && end_reason === contradictions.otherTop);
  if (isContradicted) return 'contradicted';
  return own.every(({ basis }) => basis === 'sequence' || basis === 'snapshot') ? 'verified' : 'unverifiable';
};
