import type { RpcContext } from '@almanac/bus/server';
import { type catalogRpc, type InputOf, readTimeOf } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { CatalogDeps } from '../catalog-deps.js';
import { pastTable } from '../market/past-markets.js';
import { categories } from '../series/categories.query.js';
import { listSeries } from '../series/list-series.query.js';
import { pastFigures } from '../series/past-figures.js';
import { pastSeriesDetail } from '../series/past-series.query.js';
import { seriesDetail } from '../series/series-detail.query.js';
import { vocabularyOf } from '../words/vocabulary.js';
import {
  answerAsOf,
  archiveAt,
  cachedAnswer,
  freshAnswer,
  keyOf,
  unmarkedAnswer,
  withNotices,
} from './cached-answer.js';

export const answerSeriesList = (
  deps: CatalogDeps,
  input: InputOf<typeof catalogRpc.listSeries>,
  context: RpcContext,
) => {
  const { sources, figures } = deps;
  const time = readTimeOf(input.as_of);
  return cachedAnswer(deps, { kind: 'series', input }, context, async (queryContext) => {
    if (time.asOfUs !== null) {
      const past = archiveAt(deps, time, queryContext);
      const table = pastTable(time.asOfUs);
      const then = { ...sources, ...(await pastFigures(past, sources.series)), table };
      const vocabulary = vocabularyOf(() => [then.series.text.words]);
      return answerAsOf(await listSeries({ ...then, vocabulary }, input, queryContext), time);
    }
    const now = await figures.current(queryContext.nowUs);
    const answer = await listSeries({ ...sources, now }, input, queryContext);
    return withNotices(deps, unmarkedAnswer(answer), { ...input, count: answer.count }, queryContext);
  });
};

export const answerSeriesDetail = (
  deps: CatalogDeps,
  input: InputOf<typeof catalogRpc.seriesDetail>,
  context: RpcContext,
) => {
  const { sources, figures } = deps;
  const time = readTimeOf(input.as_of);
  return cachedAnswer(deps, { kind: 'series detail', input }, context, async (queryContext) => {
    if (time.asOfUs !== null)
      return freshAnswer(await pastSeriesDetail({ sources, time, signal: queryContext.signal }, input));
    const now = await figures.current(queryContext.nowUs);
    return freshAnswer(await seriesDetail({ ...sources, now }, input, queryContext));
  });
};

export const answerCategories = (
  deps: CatalogDeps,
  input: InputOf<typeof catalogRpc.categories>,
  context: RpcContext,
) => {
  const { sources, figures, answers } = deps;
  const time = readTimeOf(input.as_of);
  if (time.asOfUs !== null) {
    return cachedAnswer(deps, { kind: 'categories', input }, context, async (queryContext) => {
      const { series, now } = await pastFigures(archiveAt(deps, time, queryContext), sources.series);
      return answerAsOf(categories(series.states.values(), now), time);
    });
  }
  // The figures are in memory, so it needs no slot.
  return answers.get(keyOf('categories', input), context, async () => {
    const startUs = unixMicros();
    return unmarkedAnswer(categories(sources.series.states.values(), await figures.current(startUs)));
  });
};
