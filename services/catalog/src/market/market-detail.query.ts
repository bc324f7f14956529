import { isValidId, Reply, subjects } from '@almanac/bus';
import { notFound, presentMarket, provenanceOf, type SeriesState, termsOf } from '@almanac/contracts';
import { shapeOf } from './markets.js';
import type { MarketStates } from './states/market-states.js';

export interface MarketDetailDeps {
  readonly markets: Pick<MarketStates, 'get'>;
  readonly series: ReadonlyMap<string, SeriesState>;
}

/**
 * GET /markets/{ticker}, from the replica of all markets on disk. The answer is valid until the market's next event,
 * until its close while it is live, and until a scheduled change of its fee. Throws `market_not_found`.
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
  const ofSeries = state.series === null ? undefined : series.get(subjects.series(state.series));
  const { terms, nextFeeUs } = termsOf(state, ofSeries, nowUs);
  const ends = [market.status === 'live' ? state.close_us : null, nextFeeUs].filter((us) => us !== null);
  const freshUntilUs = ends.length === 0 ? {} : { freshUntilUs: Math.min(...ends) };
  const answer = { source: 'archive', market, ...provenanceOf(state, nowUs), ...terms };
  return Reply.json(answer, { ticker, ...freshUntilUs });
};
