import { hash } from 'node:crypto';
import { isValidId, Reply, type StreamPosition, subjects } from '@almanac/bus';
import {
  asOfField,
  asOfMeta,
  marketAsOf,
  notFound,
  presentMarketAt,
  provenanceOf,
  type ReplyMeta,
  type ReadTime,
  seriesAsOf,
  type SeriesState,
  termsOf,
  withheldOf,
} from '@almanac/contracts';
import { shapeOf } from './markets.js';
import type { MarketStates } from './states/market-states.js';

export interface MarketDetailDeps {
  readonly markets: Pick<MarketStates, 'get'>;
  readonly series: ReadonlyMap<string, SeriesState>;
  /** Up to where both have all events. */
  readonly changes: { readonly position: StreamPosition };
}

/**
 * GET /markets/{ticker}, from the replica of all markets on disk. The answer is valid until the market's next event,
 * until its close while it is live, and until a scheduled change of its fee. One about the past is valid until the next
 * event. Throws `market_not_found`.
 */
export const marketDetail = async (
  { markets, series, changes }: MarketDetailDeps,
  ticker: string,
  time: ReadTime,
): Promise<Reply> => {
  const { nowUs, asOfUs } = time;
  const { position } = changes;
  const stored = isValidId(ticker) ? await markets.get(ticker) : undefined;
  const state = stored === undefined || asOfUs === null ? stored?.state : marketAsOf(stored.state, asOfUs);
  if (state === undefined) throw notFound('market_not_found', ticker);
  const market = presentMarketAt(state, shapeOf(series, state), time);
  const seriesSubject = state.series === null ? undefined : subjects.series(state.series);
  const ofSeries = seriesSubject === undefined ? undefined : series.get(seriesSubject);
  const { terms, nextFeeUs } = termsOf(
    state,
    ofSeries === undefined || asOfUs === null ? ofSeries : seriesAsOf(ofSeries, asOfUs),
    nowUs,
  );
  const answer = { source: 'archive', market, ...provenanceOf(state, nowUs), ...terms };
  const used = [subjects.market(ticker), ...(seriesSubject === undefined ? [] : [seriesSubject])];
  // Without its position, no gateway caches the answer.
  const meta = { ticker, ...(stored?.fromReplica === true ? {} : { catalogue: { subjects: used, position } }) };
  if (asOfUs !== null)
    return cacheable({ ...answer, ...withheldFrom(answer), ...asOfField(asOfUs) }, { ...meta, ...asOfMeta(asOfUs) });
  const ends = [market.status === 'live' ? state.close_us : null, nextFeeUs].filter((us) => us !== null);
  return cacheable(answer, { ...meta, ...(ends.length === 0 ? {} : { freshUntilUs: Math.min(...ends) }) });
};

const cacheable = (answer: object, meta: ReplyMeta): Reply => {
  const bytes = Buffer.from(JSON.stringify(answer));
  return new Reply(bytes, { ...meta, digest: hash('sha256', bytes, 'base64url').slice(0, 22) });
};

/** The totals of trades have no knowledge time. Those of a time follow from the trades of that time. */
const withheldFrom = (answer: object) => {
  const withTotals = { ...answer, volume: null, trades_n: null };
  const withheld = withheldOf(withTotals, ['settlement_value', 'volume', 'trades_n', 'rules', 'tick_size', 'fee']);
  return { volume: null, trades_n: null, withheld };
};
