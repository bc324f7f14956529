import type { RpcContext } from '@almanac/bus/server';
import { asOfField, type catalogRpc, type InputOf, readTimeOf } from '@almanac/contracts';
import type { CatalogDeps } from '../catalog-deps.js';
import { hasCoverageFilter } from '../market/coverage-filter.js';
import { isOfChanges, listChangedMarkets } from '../market/list-changed-markets.query.js';
import { listMarkets, type MarketList, presentMarkets } from '../market/list-markets.query.js';
import { listedAsOf } from '../market/list-past-markets.js';
import { cachedAnswer, freshAnswer, withNotices } from './cached-answer.js';
import { answerCoveredMarkets } from './covered-markets.query.js';

type Input = InputOf<typeof catalogRpc.listMarkets>;

export const answerMarkets = (deps: CatalogDeps, input: Input, context: RpcContext) =>
  hasCoverageFilter(input) ? answerCoveredMarkets(deps, input, context) : answerListedMarkets(deps, input, context);

const answerListedMarkets = (deps: CatalogDeps, input: Input, context: RpcContext) => {
  const time = readTimeOf(input.as_of);
  return cachedAnswer(deps, { kind: 'markets', input }, context, async (queryContext) => {
    const { sources, changeLog } = deps;
    // Notices would name what is known now.
    if (time.asOfUs !== null) {
      const listed = listedAsOf(sources, input, { time, queryContext });
      return freshAnswer<MarketList>({ ...(await listMarkets(listed, input)), ...asOfField(time.asOfUs) });
    }
    const answer = isOfChanges(input)
      ? await listChangedMarkets({ sources, changeLog }, input, queryContext)
      : await listMarkets(presentMarkets(sources, queryContext), input);
    return withNotices(deps, freshAnswer(answer), { ...input, count: answer.count }, queryContext);
  });
};
