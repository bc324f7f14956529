import { isNameable, Reply, subjects } from '@almanac/bus';
import { type MarketState, noSuch, presentMarket, type SeriesState } from '@almanac/contracts';
import type { StateCache } from '@almanac/event-store';
import { shapeOf } from './markets.js';

export interface MarketDetailParts {
  readonly markets: StateCache<MarketState>;
  readonly series: ReadonlyMap<string, SeriesState>;
}

/**
 * GET /markets/{ticker}, from memory: the stream is asked for a market once, and its events keep it current. The
 * answer holds until the market's next event or, while it is live, its close. Throws `market_not_found`.
 */
export const marketDetail = async (
  { markets, series }: MarketDetailParts,
  ticker: string,
  nowUs: number,
): Promise<Reply> => {
  const known = isNameable(ticker) ? await markets.get(subjects.market(ticker)) : undefined;
  if (known === undefined) throw noSuch('market_not_found', ticker);
  const { state } = known;
  const market = presentMarket(state, shapeOf(series, state), nowUs);
  const freshUntilUs = market.status === 'live' && state.close_us !== null ? { freshUntilUs: state.close_us } : {};
  return Reply.json({ source: 'archive', market }, { ticker, ...freshUntilUs });
};
