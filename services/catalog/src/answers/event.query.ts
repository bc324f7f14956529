import type { RpcContext } from '@almanac/bus/server';
import { type catalogRpc, type InputOf, readTimeOf } from '@almanac/contracts';
import type { CatalogDeps } from '../catalog-deps.js';
import { eventDetail } from '../event/event-detail.query.js';
import { pastEventDetail } from '../event/past-event.query.js';
import { cachedAnswer, freshAnswer } from './cached-answer.js';

export const answerEvent = (deps: CatalogDeps, input: InputOf<typeof catalogRpc.eventDetail>, context: RpcContext) => {
  const time = readTimeOf(input.as_of);
  return cachedAnswer(deps, { kind: 'event detail', input }, context, async (queryContext) =>
    freshAnswer(
      time.asOfUs === null
        ? await eventDetail(deps.sources, input, queryContext)
        : await pastEventDetail(deps.sources, input, { time, queryContext }),
    ),
  );
};
