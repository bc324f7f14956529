import type { Handlers, RpcContext } from '@almanac/bus/server';
import { type catalogRpc, readTimeOf } from '@almanac/contracts';
import { answerEvent } from './answers/event.query.js';
import { answerExportTarget, answerNearestId } from './answers/ids.query.js';
import { answerMarkets } from './answers/markets.query.js';
import { answerSearch } from './answers/search.query.js';
import { answerCategories, answerSeriesDetail, answerSeriesList } from './answers/series.query.js';
import type { CatalogDeps } from './catalog-deps.js';
import { coinMoments } from './market/coin-moments.query.js';
import { marketDetail } from './market/market-detail.query.js';
import { marketsByFeedIds } from './market/markets-by-feed-ids.query.js';
import { valuesOfParents } from './market/values-of-parents.query.js';
import { awaitReadable } from './record/await-readable.query.js';
import { answerMarketsOpenIn } from './target/markets-open-in.query.js';

/** Subtracted from the time limit, so that a late answer reaches the caller before its own deadline. */
const replyMs = 100;
const timeLeft = ({ remainingMs }: RpcContext): number => remainingMs - replyMs;

export const catalogController = (deps: CatalogDeps): Handlers<typeof catalogRpc> => ({
  marketDetail: async ({ ticker, as_of }) =>
    marketDetail({ ...deps, series: deps.sources.series.states }, ticker, readTimeOf(as_of)),
  listMarkets: (input, context) => answerMarkets(deps, input, context),
  listSeries: (input, context) => answerSeriesList(deps, input, context),
  seriesDetail: (input, context) => answerSeriesDetail(deps, input, context),
  eventDetail: (input, context) => answerEvent(deps, input, context),
  search: (input, context) => answerSearch(deps, input, context),
  categories: (input, context) => answerCategories(deps, input, context),
  nearestId: (input, context) => answerNearestId(deps, input, context),
  exportTarget: (input, context) => answerExportTarget(deps, input, context),
  marketsByFeedIds: (input, context) =>
    deps.slots.run(context, () => marketsByFeedIds(deps.sources.clickhouse, input, context)),
  valuesOfParents: (input, context) =>
    deps.slots.run(context, () => valuesOfParents(deps.sources.clickhouse, input, context)),
  coinMoments: (input, context) => deps.slots.run(context, () => coinMoments(deps.sources.clickhouse, input, context)),
  marketsOpenIn: (input, context) => answerMarketsOpenIn(deps, input, context),
  record: ({ facts }, context) => deps.record(facts, timeLeft(context)),
  awaitReadable: (input, context) => awaitReadable(deps, input, timeLeft(context)),
});
