import {
  coverageMarketsMax,
  dayUs,
  type MarketQuality,
  type PeriodQuality,
  qualityGapsMax,
  type ReadTime,
  secondsOf,
  type TimeRange,
} from '@almanac/contracts';
import { loadMarkets } from '../as-of/load-markets.js';
import { receivedEndUs } from '../as-of/received.js';
import type { ReadDeps } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import {
  basisBefore,
  bookQualityOf,
  coverageIn,
  gapsIn,
  type KnownMarket,
  million,
  overlapUs,
  rangeOfGap,
  rankOf,
  shareOf,
} from './market-coverage.js';
import { periodSums } from './period-quality.js';
import { type MarketCounts, marketCounts, marketCountsSql, periodCounts, periodCountsSql } from './quality-sql.js';
import type { QualityRequest, Ranked } from './quality.query.js';

interface Scope {
  readonly tickers: readonly string[];
  readonly time: ReadTime;
  readonly range: TimeRange;
  readonly caller: Caller;
}

const chunksOf = function* (tickers: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < tickers.length; at += coverageMarketsMax) yield tickers.slice(at, at + coverageMarketsMax);
};

export const knownMarkets = async (
  deps: ReadDeps,
  { tickers, time, caller }: Omit<Scope, 'range'>,
): Promise<readonly KnownMarket[]> => {
  const loaded = await loadMarkets(deps, { tickers, time }, caller);
  const known = await deps.gaps.of(loaded, caller);
  return loaded.flatMap((market, at) => {
    const own = known[at];
    return own === undefined ? [] : [{ market, known: own }];
  });
};

/** The tickers in their order, with the places of their markets. Of the markets, only these stay in memory. */
export const rankedMarkets = async (
  deps: ReadDeps,
  scope: Scope,
  sort: QualityRequest['sort'],
): Promise<readonly Ranked<string>[]> => {
  const ranked: Ranked<string>[] = [];
  for (const tickers of chunksOf(scope.tickers)) {
    for (const one of await knownMarkets(deps, { ...scope, tickers })) {
      const { ticker, open_us: openUs } = one.market.state;
      const first = sort === 'time' ? (openUs ?? 0) : rankOf(coverageIn(one, scope.range));
      ranked.push({ key: [first, ticker], hasGaps: gapsIn(one, scope.range).length > 0, item: ticker });
    }
  }
  return ranked;
};

/** The quality of the markets of one page, in its order. One statement counts the rows of all. */
export const readMarkets = async (deps: ReadDeps, scope: Scope): Promise<MarketQuality[]> => {
  if (scope.tickers.length === 0) return [];
  const { range, time, caller } = scope;
  const receivedUs = receivedEndUs(time);
  const params = {
    tickers: scope.tickers,
    start_us: range.startUs,
    end_us: Math.min(range.endUs, receivedUs),
    received_us: receivedUs,
  };
  const [known, counts] = await Promise.all([
    knownMarkets(deps, scope),
    deps.rows.parsed({ sql: marketCountsSql, params }, marketCounts, caller),
  ]);
  const countsOf = new Map(counts.map((one) => [one.ticker, one]));
  return known.map((one) => marketOf(one, range, countsOf.get(one.market.state.ticker)));
};

const marketOf = (one: KnownMarket, range: TimeRange, counts: MarketCounts | undefined): MarketQuality => {
  const { ticker, event_ticker, title, status, open_ts, close_ts } = one.market.entry;
  const coverage = coverageIn(one, range);
  const share = shareOf(coverage);
  const gaps = gapsIn(one, range);
  const lengths = gaps.map((gap) => overlapUs(rangeOfGap(gap), range));
  const { rows_n = 0, books_n = 0, trades_n = 0, is_traded = 0, first_us = null, last_us = null } = counts ?? {};
  return {
    ticker,
    event_ticker,
    title,
    status,
    open_ts,
    close_ts,
    covered_s: secondsOf(coverage.coveredUs),
    expected_s: secondsOf(coverage.expectedUs),
    covered_share: share === null ? null : share / million,
    gaps_n: gaps.length,
    gap_s: lengths.reduce((sum, us) => sum + us, 0) / 1e6,
    longest_gap_s: lengths.reduce((most, us) => Math.max(most, us), 0) / 1e6,
    gaps: gaps.slice(0, qualityGapsMax).map((gap) => ({
      start_ts: gap.startUs / 1e6,
      end_ts: secondsOf(gap.endUs),
      reason: gap.reason,
      missing: gap.missing,
      basis: basisBefore(one.known.spans, gap),
    })),
    rows: rows_n,
    books: books_n,
    trades: is_traded === 0 ? null : trades_n,
    first_ts: secondsOf(first_us),
    last_ts: secondsOf(last_us),
    book_quality: bookQualityOf(one, range, books_n),
  };
};

const periodLengths = { day: dayUs, hour: 3_600e6 } as const;

export const rankedPeriods = async (
  deps: ReadDeps,
  scope: Scope,
  { by, sort }: { readonly by: 'day' | 'hour'; readonly sort: QualityRequest['sort'] },
) => {
  const { range, time, caller } = scope;
  const periodUs = periodLengths[by];
  const sums = periodSums(range, periodUs);
  const counts = new Map<number, { rows: number; trades: number }>();
  let [marketsN, withGapsN] = [0, 0];
  const endUs = Math.min(range.endUs, receivedEndUs(time));
  for (const tickers of chunksOf(scope.tickers)) {
    const params = { tickers, start_us: range.startUs, end_us: endUs, period_us: periodUs };
    const [known, found] = await Promise.all([
      knownMarkets(deps, { ...scope, tickers }),
      deps.rows.parsed({ sql: periodCountsSql, params }, periodCounts, caller),
    ]);
    for (const one of known) {
      sums.add(one);
      marketsN += 1;
      if (gapsIn(one, range).length > 0) withGapsN += 1;
    }
    for (const { period, rows_n, trades_n } of found) {
      const { rows = 0, trades = 0 } = counts.get(period) ?? {};
      counts.set(period, { rows: rows + rows_n, trades: trades + trades_n });
    }
  }
  const periods = sums.result(counts).map(({ rank, period }): Ranked<PeriodQuality> => {
    const startUs = Math.round(period.start_ts * 1e6);
    // Texts of one length have the order of their numbers.
    return {
      key: [sort === 'time' ? startUs : rank, String(startUs).padStart(16, '0')],
      hasGaps: period.gaps_n > 0,
      item: period,
    };
  });
  return { marketsN, withGapsN, periods };
};
