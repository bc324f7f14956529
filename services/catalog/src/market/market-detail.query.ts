import { isValidId, Reply } from '@almanac/bus';
import { notFound, presentMarket, provenanceOf, type SeriesState } from '@almanac/contracts';
import { shapeOf } from './markets.js';
import type { MarketStates } from './states/market-states.js';

export interface MarketDetailDeps {
  readonly markets: Pick<MarketStates, 'get'>;
  readonly series: ReadonlyMap<string, SeriesState>;
}

/**
 * GET /markets/{ticker}, from the replica of all markets on disk. The answer is valid until the market's next event
 * or, while it is live, until its close. Throws `market_not_found`.
 */
export const marketDetail = async (
  { markets, series }: MarketDetailDeps,
  ticker: string,
  nowUs: number,
): Promise<Reply> => {
  const stored = isValidId(ticker) ? await markets.get(ticker) : undefined;
  if (stored === undefined) throw notFound('market_not_found', ticker);
  const { state } = stored;
  const market = presentMarket(state, shapeOf(series, state), nowUs);
  const freshUntilUs = market.status === 'live' && state.close_us !== null ? { freshUntilUs: state.close_us } : {};
  return Reply.json({ source: 'archive', market, ...provenanceOf(state, nowUs) }, { ticker, ...freshUntilUs });
};
