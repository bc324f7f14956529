import { Reply } from '@almanac/bus';
import {
  asOfField,
  batchCandlesMax,
  candlesMax,
  DomainError,
  isBinaryForm,
  readTimeOf,
  secondsOf,
  type timeseriesRpc,
} from '@almanac/contracts';
import type { z } from 'zod';
import { gapPairs, type KnownTimes, neverUs, priceGapsOf } from '../gaps/market-gaps.js';
import { loadMarket, loadMarkets } from '../as-of/load-markets.js';
import { fileMetadata, receivedEndUs } from '../as-of/received.js';
import type { MarketContext } from '../market-context.js';
import { bodyOf, freshUntilFirst, type ReadDeps, versionOf } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { readTable } from '../tables/read-table.js';
import { type MarketTradeTimes, withTradeTimes } from '../trades/trade-times.js';
import type { Slabs } from '../slabs/slabs.js';
import type { CandleGrid } from './candle-cells.js';
import { candleTable } from './candle-sql.js';
import {
  boundsOf,
  type CandleWindow,
  candlesUntilUs,
  candleWindowOf,
  checkSelection,
  tradingEndUs,
} from './candle-window.js';
import { emptyWindowNotice } from '../notices/empty-window.js';
import { slabCandles } from './slab-candles.js';
import { everKnownUs, type VenueRange, type VenueRanges, withVenueTimes } from './venue-ranges.js';
import { usablePeriods, venueNotice, venuePeriodOf } from './venue-selection.js';

export type CandlesRequest = z.output<typeof timeseriesRpc.candles.input>;
export type CandleBatchRequest = z.output<typeof timeseriesRpc.candleBatch.input>;

export interface CandlesDeps extends ReadDeps {
  readonly tradeTimes: MarketTradeTimes;
  readonly venueRanges: VenueRanges;
  readonly slabs: Slabs | undefined;
}

export const answerCandles = async (deps: CandlesDeps, request: CandlesRequest, caller: Caller): Promise<Reply> => {
  const { ticker, ...selection } = request;
  checkSelection(selection);
  const market = await loadMarket(deps, { ticker, time: readTimeOf(request.as_of) }, caller);
  const of = { ...selection, markets: [market], each: candlesMax, first: { ticker } };
  return answer(deps, of, caller, { ticker, version: market.version });
};

/** The window of a batch covers the data of all its markets. */
export const answerCandleBatch = async (
  deps: CandlesDeps,
  request: CandleBatchRequest,
  caller: Caller,
): Promise<Reply> => {
  const { tickers: given, ...selection } = request;
  const tickers = [...new Set(given)];
  checkSelection(selection);
  const each = Math.min(candlesMax, Math.floor(batchCandlesMax / tickers.length));
  if ((selection.points ?? 0) > each) {
    throw new DomainError('invalid_period', `Send points of at most ${each} for ${tickers.length} markets.`);
  }
  const markets = await loadMarkets(deps, { tickers, time: readTimeOf(request.as_of) }, caller);
  return answer(deps, { ...selection, markets, each, first: {} }, caller, { version: versionOf(markets) });
};

interface Selection extends Omit<CandlesRequest, 'ticker'> {
  readonly markets: readonly MarketContext[];
  /** The most candles of a market. */
  readonly each: number;
  /** The first fields of the answer. */
  readonly first: object;
}

const answer = async (
  deps: CandlesDeps,
  request: Selection,
  caller: Caller,
  versioned: { readonly ticker?: string; readonly version: number },
): Promise<Reply> => {
  const { markets, each, format: form, numbers, fill } = request;
  const [known, tradeTimes, ranges] = await Promise.all([
    deps.gaps.of(markets, caller),
    deps.tradeTimes(markets, caller),
    deps.venueRanges(markets, caller),
  ]);
  const withTrades = markets.map((market, at) => withTradeTimes(market, tradeTimes[at] ?? null));
  const hasVenue = ranges.some((ofMarket) => ofMarket.length > 0);
  const unitS = hasVenue ? venuePeriodOf(withTrades, ranges, boundsOf(request)) : null;
  const timed = withTrades.map((market, at) => withVenueTimes(market, ranges[at] ?? []));
  const window = candleWindowOf(request, timed, { candlesMax: each, unitS });
  const notice = hasVenue ? venueNotice(withTrades, ranges, window) : null;
  const traded = markets.flatMap(({ state }, at) => ((tradeTimes[at] ?? null) === null ? [] : [state.ticker]));
  const untilUs = withTrades.map((market) => candlesUntilUs(market, fill));
  const params = {
    ...paramsOf(markets, known, window),
    until_us: untilUs,
    traded,
    ...venueParams(markets, ranges, window),
  };
  const asOfUs = markets[0]?.asOfUs ?? null;
  const figures = figuresOf(window, { markets: withTrades, ranges, fill });
  const query = { tickers: params.tickers, ...figures, fill, numbers };
  const metadata = fileMetadata(query, { ...versioned, asOfUs });
  const hasGaps = params.gaps.some((gaps) => gaps.length > 0);
  const table = candleTable({ fill, isTraded: traded.length > 0, hasGaps, hasVenue });
  const fromSlabs =
    hasVenue || traded.length > 0 || isBinaryForm(form) || (form !== 'json' && numbers === 'float')
      ? undefined
      : await slabCandles(deps.slabs, { markets, grids: gridsOf(params, fill), form, table }, caller);
  const read = fromSlabs ?? (await readTable(deps.rows, { form, numbers, table, params, metadata }, caller));
  const moves = dependsOnNow(window, markets, known) || (fill === 'previous' && reachesNow(window, markets));
  const [only, ...others] = markets;
  // The venue's notice says how to get the candles that there are.
  const isEmpty = read.count === 0 && notice === null && only !== undefined && others.length === 0;
  const empty = isEmpty && (await emptyWindowNotice(deps.rows, { ...window, market: only, of: 'observation' }, caller));
  const noticed = empty !== false && { notices: [empty] };
  const meta = { ...versioned, ...freshUntilFirst(markets), cacheable: !moves, ...noticed };
  const head = { ...figures, count: read.count, ...asOfField(asOfUs), ...(notice !== null && { notice }) };
  return form === 'json'
    ? new Reply(bodyOf(form, { ...request.first, ...head }, ['candles', read]), meta)
    : new Reply(read.bytes, { ...meta, head });
};

/** A gap without an end grows, so its length in a candle depends on the time of the request. */
const dependsOnNow = (window: CandleWindow, markets: readonly MarketContext[], known: readonly KnownTimes[]): boolean =>
  window.dependsOnNow ||
  markets.some(
    ({ times }, at) => times.live && times.moves && known[at]?.gaps.some(({ endUs }) => endUs === null) === true,
  );

/** Whether the last values fill further periods as time passes. */
const reachesNow = ({ endUs }: CandleWindow, markets: readonly MarketContext[]): boolean =>
  markets.some(
    ({ state, times: { moves, nowUs } }) => moves && Math.min(endUs, tradingEndUs(state) ?? neverUs) > nowUs,
  );

const paramsOf = (markets: readonly MarketContext[], known: readonly KnownTimes[], window: CandleWindow) => ({
  tickers: markets.map(({ state }) => state.ticker),
  ends_us: markets.map(({ state }) => tradingEndUs(state) ?? neverUs),
  gaps: markets.map(({ times }, at) => {
    const own = known[at];
    return own === undefined ? [] : gapPairs(priceGapsOf(own), { ...window, nowUs: times.nowUs });
  }),
  start_us: window.startUs,
  end_us: Math.min(window.endUs, ...markets.map(receivedEndUs)),
  period_us: window.periodUs,
});

const gridsOf = (
  params: ReturnType<typeof paramsOf> & { readonly until_us: readonly number[] },
  fill: CandleGrid['fill'],
): readonly CandleGrid[] =>
  params.tickers.map((ticker, at) => ({
    ticker,
    startUs: params.start_us,
    periodUs: params.period_us,
    endUs: params.end_us,
    untilUs: Math.min(params.end_us, params.until_us[at] ?? neverUs),
    gaps: params.gaps[at] ?? [],
    fill,
  }));

const venueParams = (
  markets: readonly MarketContext[],
  ranges: readonly (readonly VenueRange[])[],
  { periodUs }: CandleWindow,
) => ({
  opens_us: markets.map(({ state }) => state.open_us ?? -1),
  known_us: markets[0]?.asOfUs ?? everKnownUs,
  venue_periods: usablePeriods(ranges.flat(), periodUs),
});

interface FiguresOf {
  readonly markets: readonly MarketContext[];
  readonly ranges: readonly (readonly VenueRange[])[];
  readonly fill: CandleGrid['fill'];
}

const figuresOf = ({ startUs, endUs, periodUs, goesOn }: CandleWindow, { markets, ranges, fill }: FiguresOf) => ({
  start_ts: secondsOf(startUs),
  end_ts: secondsOf(endUs),
  period_s: periodUs / 1_000_000,
  has_more:
    goesOn &&
    markets.some(
      (market, at) => hasCandlesFrom(endUs, market, fill) || ranges[at]?.some((range) => range.endUs > endUs) === true,
    ),
  next_start_ts: secondsOf(goesOn ? endUs : null),
});

/** With `fill=previous`, a market has candles after its last observation, too. */
const hasCandlesFrom = (us: number, market: MarketContext, fill: CandleGrid['fill']): boolean => {
  const { minUs, times } = market;
  if (us >= candlesUntilUs(market, fill)) return false;
  return (times.lastUs ?? -1) >= us || (fill === 'previous' && minUs !== null && minUs < us);
};
