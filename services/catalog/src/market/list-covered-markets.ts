import { coverageMarketsMax, type MarketState } from '@almanac/contracts';
import type { RankedRow } from '../tables/candidates.js';
import { type Compared, type Coverage, fitsCoverage } from './coverage-filter.js';
import {
  type ListMarketsInput,
  type MarketPage,
  type MarketPosition,
  positionAfter,
  startOfPage,
} from './list-markets.query.js';

/** The most markets that are compared for one page, and how many the first time. Then as many as before, up to a limit. */
export const comparedMax = 10_000;
const firstComparedMin = 200;
const sizeAfter = (n: number, limit: number): number =>
  n === 0 ? Math.max(firstComparedMin, limit + 1) : Math.min(coverageMarketsMax, n);

export interface CoveredSources {
  readonly readPage: (input: ListMarketsInput, start: MarketPosition) => Promise<MarketPage>;
  /** Of at most `coverageMarketsMax` markets, in their order. */
  readonly coverageOf: (tickers: readonly string[]) => Promise<readonly Coverage[]>;
  /** Whether there is no time to compare so many more after `n`. */
  readonly isLate: (more: number, n: number) => boolean;
}

export interface CoveredPage extends Pick<MarketPage, 'items' | 'bounds'> {
  readonly after: MarketPosition;
  readonly compared: Compared;
}

/** A market that fits, and where a page that ends with it goes on. */
interface Fitting {
  readonly item: RankedRow<MarketState>;
  readonly after: MarketPosition;
  readonly isUnknown: boolean;
}

/**
 * A page of the markets whose coverage fits, in listing order. Coverage is known for single markets only, so markets are
 * compared in their order until one more than the page fits, so that `has_more` is exact. The page ends before if too many were
 * compared, and goes on after the last of them.
 */
export const coveredPage = async (
  { readPage, coverageOf, isLate }: CoveredSources,
  input: ListMarketsInput,
): Promise<CoveredPage> => {
  const { limit } = input;
  const found: Fitting[] = [];
  let [n, leftOutUnknownN] = [0, 0];
  let last = startOfPage(input);
  for (;;) {
    const page = await readPage({ ...input, limit: sizeAfter(n, limit) }, last);
    const coverage = await coverageOf(page.items.map(({ row }) => row.ticker));
    for (const [at, item] of page.items.entries()) {
      const known = coverage[at];
      if (known === undefined) throw new Error(`the coverage of ${item.row.ticker} is missing`);
      const isUnknown = known.covered_share === null;
      last = positionAfter(item, page);
      n += 1;
      if (fitsCoverage(input, known)) found.push({ item, after: last, isUnknown });
      else if (isUnknown && fitsCoverage({ has_gaps: input.has_gaps }, known)) leftOutUnknownN += 1;
      if (found.length > limit) break;
    }
    const isFull = found.length > limit;
    const isStopped = !isFull && page.hasMore && (n >= comparedMax || isLate(sizeAfter(n, limit), n));
    if (!isFull && !isStopped && page.hasMore) continue;
    const shown = found.slice(0, limit);
    const after = isFull ? (shown.at(-1)?.after ?? null) : isStopped ? last : null;
    const listedUnknownN = shown.filter(({ isUnknown }) => isUnknown).length;
    const compared = { n, listedUnknownN, leftOutUnknownN, isStopped };
    return { items: shown.map(({ item }) => item), bounds: page.bounds, after, compared };
  }
};
