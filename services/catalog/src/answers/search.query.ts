import type { RpcContext } from '@almanac/bus/server';
import { type catalogRpc, type InputOf, isoOf, type Notice, readTimeOf } from '@almanac/contracts';
import type { CatalogDeps } from '../catalog-deps.js';
import { pastSearch } from '../search/past-search.query.js';
import { searchHint } from '../search/search-hint.js';
import { search } from '../search/search.query.js';
import { archiveAt, cachedAnswer, unmarkedAnswer, withNotices } from './cached-answer.js';

export const answerSearch = (deps: CatalogDeps, input: InputOf<typeof catalogRpc.search>, context: RpcContext) => {
  const { sources, figures, events } = deps;
  const time = readTimeOf(input.as_of);
  return cachedAnswer(deps, { kind: 'search', input }, context, async (queryContext) => {
    if (time.asOfUs !== null) {
      const answer = await pastSearch(archiveAt(deps, time, queryContext), input);
      const notices = answer.count === 0 && input.offset === 0 ? [nothingByThen(time.asOfUs)] : [];
      return { ...unmarkedAnswer(answer), asOf: answer.as_of, notices };
    }
    const now = await figures.current(queryContext.nowUs);
    const answer = await search({ ...sources, events, now }, input, queryContext);
    const noticed = await withNotices(deps, unmarkedAnswer(answer), { ...input, count: answer.count }, queryContext);
    const isHinted = noticed.notices === undefined && input.offset === 0 && (answer.count === 0 || isOpen(input));
    return isHinted ? { ...noticed, notices: [searchHint(sources.series.states, now)] } : noticed;
  });
};

/** Whether it neither has words nor a filter. */
const isOpen = ({ q, category, status, from_ts, to_ts }: InputOf<typeof catalogRpc.search>): boolean =>
  [q.trim(), category, status].every((text) => !text) && (from_ts ?? to_ts ?? null) === null;

/** It follows from the answer alone, so it does not show whether something was listed later. */
const nothingByThen = (asOfUs: number): Notice => ({
  code: 'search_as_of',
  detail: `Nothing that was listed by ${isoOf(asOfUs)} matches. A search as of a time finds nothing that was listed later, and corrects no spellings.`,
  loc: ['query', 'as_of'],
  nearest: null,
});
