import { isValidId, subjects } from '@almanac/bus';
import {
  type ArchiveState,
  type Market,
  type MarketState,
  notFound,
  presentMarket,
  type SeriesState,
  statusOf,
} from '@almanac/contracts';
import type { StateReplica, StateCache } from '@almanac/event-store';
import type { MarketTimes } from './window/window.js';

/** States of markets, data versions and series. They stay in memory, and their events refresh them. */
export interface StateCaches {
  readonly markets: Pick<StateCache<MarketState>, 'get'>;
  readonly archives: Pick<StateCache<ArchiveState>, 'get'>;
  readonly series: Pick<StateReplica<SeriesState>, 'states'>;
}

/** One market at one moment. `version` is its data version, 0 before the first change. */
export interface MarketContext {
  readonly state: MarketState;
  readonly entry: Market;
  readonly version: number;
  readonly minUs: number | null;
  readonly times: MarketTimes;
}

/** Call it before reading rows, so that no answer is older than its `version`. Throws `market_not_found`. */
export const loadMarketContext = async (states: StateCaches, ticker: string, nowUs: number): Promise<MarketContext> => {
  if (!isValidId(ticker)) throw notFound('market_not_found', ticker);
  const [market, archive] = await Promise.all([
    states.markets.get(subjects.market(ticker)),
    states.archives.get(subjects.archive(ticker)),
  ]);
  if (market === undefined) throw notFound('market_not_found', ticker);
  const { state } = market;
  const shape = state.series === null ? null : (states.series.states.get(subjects.series(state.series))?.shape ?? null);
  return {
    state,
    entry: presentMarket(state, shape, nowUs),
    version: archive?.state.version ?? 0,
    minUs: archive?.state.min_us ?? null,
    times: {
      openUs: state.open_us,
      closeUs: state.close_us,
      lastUs: archive?.state.max_us ?? null,
      live: statusOf(state, nowUs) === 'live',
      nowUs,
    },
  };
};

/** A live market's answer changes at its close without any event. */
export const freshUntil = ({ times }: MarketContext): { freshUntilUs?: number } =>
  times.live && times.closeUs !== null ? { freshUntilUs: times.closeUs } : {};
