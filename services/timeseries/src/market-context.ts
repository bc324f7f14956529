import { isValidId, subjects } from '@almanac/bus';
import {
  type ArchiveState,
  asOfMeta,
  type Market,
  marketAsOf,
  type MarketState,
  notFound,
  presentMarketAt,
  type ReadTime,
  type ReplyMeta,
  type SeriesState,
  statusOf,
} from '@almanac/contracts';
import type { StateCache } from '@almanac/event-store';
import type { MarketTimes } from './window/window.js';

/** States of markets, data versions and series. They stay in memory, and their events refresh them. */
export interface StateCaches {
  /** Without histories, which only reads about the past need. */
  readonly markets: Pick<StateCache<MarketState>, 'get'>;
  readonly pastMarkets: Pick<StateCache<MarketState>, 'get'>;
  readonly archives: Pick<StateCache<ArchiveState>, 'get'>;
  readonly series: Pick<StateCache<SeriesState>, 'get'>;
}

/**
 * One market at one moment. `version` is its data version, 0 before the first change. With `asOfUs`, everything else is as
 * it was known then, except `times.lastUs` until `withLastRows` has set it.
 */
export interface MarketContext {
  readonly state: MarketState;
  readonly entry: Market;
  readonly version: number;
  readonly minUs: number | null;
  /** Times of the first and the last observation of all, for caches. An answer about the past does not show them. */
  readonly stored: { readonly minUs: number; readonly maxUs: number } | null;
  readonly times: MarketTimes;
  readonly asOfUs: number | null;
}

/** Call it before reading rows, so that no answer is older than its `version`. Throws `market_not_found`. */
export const loadMarketContext = async (
  states: StateCaches,
  ticker: string,
  time: ReadTime,
): Promise<MarketContext> => {
  if (!isValidId(ticker)) throw notFound('market_not_found', ticker);
  const { nowUs, asOfUs } = time;
  const [state, archive] = await Promise.all([
    marketAt(states, ticker, asOfUs),
    states.archives.get(subjects.archive(ticker)),
  ]);
  if (state === undefined) throw notFound('market_not_found', ticker);
  const series = state.series === null ? undefined : await states.series.get(subjects.series(state.series));
  const { version = 0, min_us: firstUs = null, max_us: maxUs = null } = archive?.state ?? {};
  const isKnown = asOfUs === null || (firstUs !== null && firstUs <= asOfUs);
  return {
    state,
    entry: presentMarketAt(state, series?.state.shape ?? null, time),
    version,
    minUs: isKnown ? firstUs : null,
    stored: firstUs === null || maxUs === null ? null : { minUs: firstUs, maxUs },
    times: {
      openUs: state.open_us,
      closeUs: state.close_us,
      lastUs: isKnown ? maxUs : null,
      live: statusOf(state, nowUs) === 'live',
      moves: asOfUs === null,
      nowUs,
    },
    asOfUs,
  };
};

const marketAt = async (
  { markets, pastMarkets }: StateCaches,
  ticker: string,
  asOfUs: number | null,
): Promise<MarketState | undefined> => {
  const subject = subjects.market(ticker);
  if (asOfUs === null) return (await markets.get(subject))?.state;
  const market = await pastMarkets.get(subject);
  return market === undefined ? undefined : marketAsOf(market.state, asOfUs);
};

/**
 * A live market's answer changes at its close without any event. An answer about the past does not, and its ETag does not
 * show the data version, which counts what came later.
 */
export const freshUntil = ({ times, asOfUs }: MarketContext): Pick<ReplyMeta, 'freshUntilUs' | 'asOf'> => {
  if (asOfUs !== null) return asOfMeta(asOfUs);
  return times.live && times.closeUs !== null ? { freshUntilUs: times.closeUs } : {};
};
