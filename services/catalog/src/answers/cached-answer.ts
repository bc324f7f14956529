import type { Reply } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { asOfField, type ReadTime } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { CatalogDeps } from '../catalog-deps.js';
import { idSourcesOf } from '../nearest/nearest-id.js';
import { unknownValues } from '../nearest/unknown-values.js';
import type { QueryContext } from '../tables/read-rows.js';
import type { CacheableAnswer } from './answer-cache.js';

/** Answers from the cache, or computes in a slot. `kind` tells equal inputs of different queries apart. */
export const cachedAnswer = <Value extends object>(
  { answers, slots }: Pick<CatalogDeps, 'answers' | 'slots'>,
  { kind, input }: { readonly kind: string; readonly input: object },
  context: RpcContext,
  make: (queryContext: QueryContext) => Promise<CacheableAnswer<Value>>,
): Reply<Value> | Promise<Reply<Value>> => {
  const { account, deadline } = context;
  const read = (signal: AbortSignal): Promise<CacheableAnswer<Value>> => {
    const caller = { account, signal, remainingMs: deadline - performance.now() };
    return slots.run(caller, () => make({ nowUs: unixMicros(), signal }));
  };
  return answers.get(keyOf(kind, input), context, read);
};

/** The schema writes equal inputs in equal order, so the JSON can be a key. */
export const keyOf = (kind: string, input: object): string => `${kind} ${JSON.stringify(input)}`;

export interface Sourced {
  readonly source: 'archive' | 'cache';
}

/** An answer read from the archive for this request. A repeat from the cache names the cache as its source. */
export const freshAnswer = <Value extends { readonly as_of?: number | undefined }>(
  answer: Value,
): CacheableAnswer<Sourced & Value> => ({
  first: { source: 'archive', ...answer },
  fromCache: { source: 'cache', ...answer },
  asOf: answer.as_of,
});

/** The same for an answer whose figures are otherwise in memory. They were computed for this time. */
export const answerAsOf = <Value extends { readonly source: Sourced['source'] | null }>(
  answer: Value,
  { asOfUs }: ReadTime,
): CacheableAnswer<Value> => {
  const shown = { ...answer, saved_ts: null, ...asOfField(asOfUs) };
  return { first: { ...shown, source: 'archive' }, fromCache: { ...shown, source: 'cache' }, asOf: shown.as_of };
};

/** An answer without a `source` field, or one made from figures that are always in memory. */
export const unmarkedAnswer = <Value extends object>(answer: Value): CacheableAnswer<Value> => ({
  first: answer,
  fromCache: answer,
});

/** An empty answer says which of its filters name something that does not exist. */
export const withNotices = async <Value extends object>(
  deps: CatalogDeps,
  answer: CacheableAnswer<Value>,
  { count, ...filters }: Parameters<typeof unknownValues>[1] & { readonly count: number },
  queryContext: QueryContext,
): Promise<CacheableAnswer<Value>> => {
  if (count > 0) return answer;
  const notices = await unknownValues(idSourcesOf(deps), filters, queryContext);
  return notices.length === 0 ? answer : { ...answer, notices };
};

/** The archive as it was known at a time. */
export const archiveAt = ({ sources }: Pick<CatalogDeps, 'sources'>, time: ReadTime, { signal }: QueryContext) => ({
  clickhouse: sources.clickhouse,
  asOfUs: time.nowUs,
  signal,
});
