import { type Reply } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import { asOfField, catalogRpc, type ReadTime, readTimeOf } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { eventDetail } from './event/event-detail.query.js';
import { pastEventDetail } from './event/past-event.query.js';
import type { CacheableAnswer } from './answers/answer-cache.js';
import { isOfChanges, listChangedMarkets } from './market/list-changed-markets.query.js';
import { listedAsOf } from './market/list-past-markets.js';
import { listMarkets, presentMarkets } from './market/list-markets.query.js';
import { marketDetail } from './market/market-detail.query.js';
import { type PastArchive, pastTable } from './market/past-markets.js';
import { type CatalogDeps, CATALOG_DEPS } from './catalog-deps.js';
import { pastSearch } from './search/past-search.query.js';
import { search } from './search/search.query.js';
import { categories } from './series/categories.query.js';
import { listSeries } from './series/list-series.query.js';
import { pastFigures } from './series/past-figures.js';
import { pastSeriesDetail } from './series/past-series.query.js';
import { seriesDetail } from './series/series-detail.query.js';
import { type IdSources, nearestId } from './nearest/nearest-id.js';
import { unknownValues } from './nearest/unknown-values.js';
import type { QueryContext } from './tables/read-rows.js';
import { exportTarget } from './target/export-target.query.js';
import { vocabularyOf } from './words/vocabulary.js';

type Input<Method extends keyof typeof catalogRpc> = z.output<(typeof catalogRpc)[Method]['input']>;

/** Subtracted from the time limit, so that a late answer reaches the caller before its own deadline. */
const replyMs = 100;

@Controller()
export class CatalogController {
  constructor(@Inject(CATALOG_DEPS) private readonly deps: CatalogDeps) {}

  @Rpc(catalogRpc.marketDetail)
  async marketDetail({ ticker, as_of }: Input<'marketDetail'>): Promise<Reply> {
    const { markets, sources, changes } = this.deps;
    return marketDetail({ markets, series: sources.series.states, changes }, ticker, readTimeOf(as_of));
  }

  @Rpc(catalogRpc.listMarkets)
  listMarkets(input: Input<'listMarkets'>, context: RpcContext): Reply | Promise<Reply> {
    const time = readTimeOf(input.as_of);
    return this.cached('markets', input, context, async (queryContext) => {
      const { sources, changeLog } = this.deps;
      // Notices would name what is known now.
      if (time.asOfUs !== null) {
        const listed = listedAsOf(sources, input, { time, queryContext });
        return freshAnswer({ ...(await listMarkets(listed, input)), ...asOfField(time.asOfUs) });
      }
      const answer = isOfChanges(input)
        ? await listChangedMarkets({ sources, changeLog }, input, queryContext)
        : await listMarkets(presentMarkets(sources, queryContext), input);
      return this.withNotices(freshAnswer(answer), { ...input, count: answer.count }, queryContext);
    });
  }

  @Rpc(catalogRpc.listSeries)
  listSeries(input: Input<'listSeries'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.deps;
    const time = readTimeOf(input.as_of);
    return this.cached('series', input, context, async (queryContext) => {
      if (time.asOfUs !== null) {
        const past = this.archiveAt(time, queryContext);
        const table = pastTable(time.asOfUs);
        const then = { ...sources, ...(await pastFigures(past, sources.series)), table };
        const vocabulary = vocabularyOf(() => [then.series.text.words]);
        return answerAsOf(await listSeries({ ...then, vocabulary }, input, queryContext), time);
      }
      const now = await figures.current(queryContext.nowUs);
      const answer = await listSeries({ ...sources, now }, input, queryContext);
      return this.withNotices(unmarkedAnswer(answer), { ...input, count: answer.count }, queryContext);
    });
  }

  @Rpc(catalogRpc.seriesDetail)
  seriesDetail(input: Input<'seriesDetail'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.deps;
    const time = readTimeOf(input.as_of);
    return this.cached('series detail', input, context, async (queryContext) => {
      if (time.asOfUs !== null)
        return freshAnswer(await pastSeriesDetail({ sources, time, signal: queryContext.signal }, input));
      const now = await figures.current(queryContext.nowUs);
      return freshAnswer(await seriesDetail({ ...sources, now }, input, queryContext));
    });
  }

  @Rpc(catalogRpc.eventDetail)
  eventDetail(input: Input<'eventDetail'>, context: RpcContext): Reply | Promise<Reply> {
    const time = readTimeOf(input.as_of);
    return this.cached('event detail', input, context, async (queryContext) => {
      const { sources } = this.deps;
      return freshAnswer(
        time.asOfUs === null
          ? await eventDetail(sources, input, queryContext)
          : await pastEventDetail(sources, input, { time, queryContext }),
      );
    });
  }

  @Rpc(catalogRpc.search)
  search(input: Input<'search'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures, events } = this.deps;
    const time = readTimeOf(input.as_of);
    return this.cached('search', input, context, async (queryContext) => {
      if (time.asOfUs !== null) {
        const answer = await pastSearch(this.archiveAt(time, queryContext), input);
        return { first: answer, fromCache: answer, asOf: answer.as_of };
      }
      const now = await figures.current(queryContext.nowUs);
      const answer = await search({ ...sources, events, now }, input, queryContext);
      return this.withNotices(unmarkedAnswer(answer), { ...input, count: answer.count }, queryContext);
    });
  }

  @Rpc(catalogRpc.categories)
  categories(input: Input<'categories'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.deps;
    const time = readTimeOf(input.as_of);
    if (time.asOfUs !== null) {
      return this.cached('categories', input, context, async (queryContext) => {
        const { series, now } = await pastFigures(this.archiveAt(time, queryContext), sources.series);
        return answerAsOf(categories(series.states.values(), now), time);
      });
    }
    // The figures are in memory, so it needs no slot.
    return this.deps.answers.get(keyOf('categories', input), context, async () => {
      const startUs = nowUs();
      return unmarkedAnswer(categories(sources.series.states.values(), await figures.current(startUs)));
    });
  }

  @Rpc(catalogRpc.nearestId)
  async nearestId(input: Input<'nearestId'>, context: RpcContext) {
    const { signal } = context;
    const find = () => nearestId(this.idSources, input, { nowUs: nowUs(), signal });
    return { nearest: await this.deps.slots.run(context, find) };
  }

  @Rpc(catalogRpc.exportTarget)
  exportTarget(input: Input<'exportTarget'>, context: RpcContext) {
    const { sources, store, slots } = this.deps;
    const { signal } = context;
    return slots.run(context, () => exportTarget({ ...sources, store }, input, { nowUs: nowUs(), signal }));
  }

  @Rpc(catalogRpc.record)
  record({ facts }: Input<'record'>, context: RpcContext) {
    return this.deps.record(facts, context.remainingMs - replyMs);
  }

  @Rpc(catalogRpc.awaitReadable)
  async awaitReadable({ seq }: Input<'awaitReadable'>, context: RpcContext) {
    const readable = await this.deps.changes.awaitReadable(seq, context.remainingMs - replyMs);
    this.deps.figures.requireRefresh();
    this.deps.events.requireRefresh();
    return readable;
  }

  private archiveAt({ nowUs: asOfUs }: ReadTime, { signal }: QueryContext): PastArchive {
    return { clickhouse: this.deps.sources.clickhouse, asOfUs, signal };
  }

  private get idSources(): IdSources {
    const { sources, store } = this.deps;
    return { clickhouse: sources.clickhouse, series: sources.series.states, store };
  }

  /** An empty answer says which of its filters name something that does not exist. */
  private async withNotices(
    answer: CacheableAnswer,
    { count, ...filters }: Parameters<typeof unknownValues>[1] & { readonly count: number },
    queryContext: QueryContext,
  ): Promise<CacheableAnswer> {
    if (count > 0) return answer;
    const notices = await unknownValues(this.idSources, filters, queryContext);
    return notices.length === 0 ? answer : { ...answer, notices };
  }

  private cached(
    kind: string,
    input: object,
    context: RpcContext,
    make: (queryContext: QueryContext) => Promise<CacheableAnswer>,
  ): Reply | Promise<Reply> {
    const { account, deadline } = context;
    const read = (signal: AbortSignal): Promise<CacheableAnswer> => {
      const caller = { account, signal, remainingMs: deadline - performance.now() };
      return this.deps.slots.run(caller, () => make({ nowUs: nowUs(), signal }));
    };
    return this.deps.answers.get(keyOf(kind, input), context, read);
  }
}

/** The schema writes equal inputs in equal order, so the JSON can be a key. */
const keyOf = (kind: string, input: object): string => `${kind} ${JSON.stringify(input)}`;

const nowUs = (): number => Date.now() * 1_000;

/** An answer read from the archive for this request. A repeat from the cache names the cache as its source. */
const freshAnswer = (answer: { readonly as_of?: number | undefined }): CacheableAnswer => ({
  first: { source: 'archive', ...answer },
  fromCache: { source: 'cache', ...answer },
  asOf: answer.as_of,
});

/** The same for an answer whose figures are otherwise in memory. They were computed for this time. */
const answerAsOf = (answer: object, { asOfUs }: ReadTime): CacheableAnswer => {
  const shown = { ...answer, saved_ts: null, ...asOfField(asOfUs) };
  return { first: { ...shown, source: 'archive' }, fromCache: { ...shown, source: 'cache' }, asOf: shown.as_of };
};

/** An answer without a `source` field, or one made from figures that are always in memory. */
const unmarkedAnswer = (answer: object): CacheableAnswer => ({ first: answer, fromCache: answer });
