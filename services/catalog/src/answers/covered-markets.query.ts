import type { Reply } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { asOfField, type catalogRpc, DomainError, type InputOf, readTimeOf, timeseriesRpc } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { CatalogDeps } from '../catalog-deps.js';
import { type Coverage, coverageNotices } from '../market/coverage-filter.js';
import { isOfChanges } from '../market/list-changed-markets.query.js';
import { coveredPage } from '../market/list-covered-markets.js';
import { type ListedMarkets, marketListOf, presentMarkets, readMarketPage } from '../market/list-markets.query.js';
import { listedAsOf } from '../market/list-past-markets.js';
import { idSourcesOf } from '../nearest/nearest-id.js';
import { unknownValues } from '../nearest/unknown-values.js';
import type { QueryContext } from '../tables/read-rows.js';
import { uncacheableReply } from './answer-cache.js';

type Input = InputOf<typeof catalogRpc.listMarkets>;

/** More markets are compared only if so much of the time would be left, at the speed of those before. */
const leftMsMin = 1_500;

/**
 * GET /markets with a filter of coverage, which the time series service knows. Nothing of it is cached: coverage changes with
 * the clock and with each stored row. A slot is held while the tables are read, and not while the other service answers.
 */
export const answerCoveredMarkets = async (deps: CatalogDeps, input: Input, context: RpcContext): Promise<Reply> => {
  if (isOfChanges(input)) {
    throw new DomainError(
      'invalid_input',
      'changed_since_ts lists changes of the catalogue, and a new gap is none, so has_gaps and covered_min do not work with it. Leave it out, or read GET /api/v1/quality.',
    );
  }
  const startedMs = performance.now();
  const time = readTimeOf(input.as_of);
  const queryContext: QueryContext = { nowUs: unixMicros(), signal: context.signal };
  const listed = listedOf(deps, input, { time, queryContext });
  const { compared, ...page } = await coveredPage(
    {
      readPage: (given, start) => deps.slots.run(context, () => readMarketPage(listed, given, start)),
      coverageOf: (tickers) => coverageOf(deps, { tickers, asOf: input.as_of }, context),
      isLate: (more, n) => context.remainingMs - (performance.now() - startedMs) * (more / n) < leftMsMin,
    },
    input,
  );
  const isUnknown = page.items.length === 0 && time.asOfUs === null;
  const unknown = isUnknown ? await unknownValues(idSourcesOf(deps), input, queryContext) : [];
  const notices = [...unknown, ...coverageNotices(input, compared)];
  return uncacheableReply(
    { source: 'archive', ...marketListOf(listed, input, page), ...asOfField(time.asOfUs) },
    { notices: notices.length === 0 ? undefined : notices, asOf: input.as_of },
  );
};

const listedOf = ({ sources }: CatalogDeps, input: Input, at: Parameters<typeof listedAsOf>[2]): ListedMarkets =>
  at.time.asOfUs === null ? presentMarkets(sources, at.queryContext) : listedAsOf(sources, input, at);

const coverageOf = async (
  { rpc }: Pick<CatalogDeps, 'rpc'>,
  { tickers, asOf }: { readonly tickers: readonly string[]; readonly asOf: number | undefined },
  { requestId, remainingMs }: RpcContext,
): Promise<readonly Coverage[]> => {
  if (tickers.length === 0) return [];
  const { markets } = await rpc.call(timeseriesRpc.coverageOfMarkets, {
    input: { tickers: [...tickers], as_of: asOf },
    context: { requestId, timeoutMs: remainingMs },
  });
  return markets;
};
