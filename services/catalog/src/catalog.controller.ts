import { type Reply, Rpc, type RpcContext } from '@almanac/bus';
import { catalogRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { eventDetail } from './event/event-detail.read-model.js';
import type { Made } from './kept/kept-answers.js';
import { listMarkets } from './market/list-markets.read-model.js';
import { marketDetail } from './market/market-detail.read-model.js';
import { type CatalogParts, PARTS } from './parts.js';
import { search } from './search/search.read-model.js';
import { categories } from './series/categories.read-model.js';
import { listSeries } from './series/list-series.read-model.js';
import { seriesDetail } from './series/series-detail.read-model.js';
import type { Asking } from './tables/ask.js';
import { exportTarget } from './target/export-target.read-model.js';

type Input<Method extends keyof typeof catalogRpc> = z.output<(typeof catalogRpc)[Method]['input']>;

/** So that a late answer still reaches its caller before the caller's own deadline. */
const replyMs = 100;

@Controller()
export class CatalogController {
  constructor(@Inject(PARTS) private readonly parts: CatalogParts) {}

  @Rpc(catalogRpc.marketDetail)
  marketDetail({ ticker }: Input<'marketDetail'>): Promise<Reply> {
    return marketDetail({ markets: this.parts.markets, series: this.parts.sources.series }, ticker, nowUs());
  }

  @Rpc(catalogRpc.listMarkets)
  listMarkets(input: Input<'listMarkets'>, context: RpcContext): Reply | Promise<Reply> {
    return this.kept('markets', input, context, async (asking) =>
      readNow(await listMarkets(this.parts.sources, input, asking)),
    );
  }

  @Rpc(catalogRpc.listSeries)
  listSeries(input: Input<'listSeries'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.parts;
    return this.kept('series', input, context, async (asking) => {
      const from = { clickhouse: sources.clickhouse, states: sources.series.values() };
      return asMade(await listSeries({ ...from, now: await figures.current(asking.nowUs) }, input, asking));
    });
  }

  @Rpc(catalogRpc.seriesDetail)
  seriesDetail(input: Input<'seriesDetail'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.parts;
    return this.kept('series detail', input, context, async (asking) => {
      const now = await figures.current(asking.nowUs);
      return readNow(await seriesDetail({ ...sources, now }, input, asking));
    });
  }

  @Rpc(catalogRpc.eventDetail)
  eventDetail(input: Input<'eventDetail'>, context: RpcContext): Reply | Promise<Reply> {
    return this.kept('event detail', input, context, async (asking) =>
      readNow(await eventDetail(this.parts.sources, input, asking)),
    );
  }

  @Rpc(catalogRpc.search)
  search(input: Input<'search'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures, events } = this.parts;
    return this.kept('search', input, context, async (asking) => {
      const now = await figures.current(asking.nowUs);
      return asMade(await search({ ...sources, events, now }, input, asking));
    });
  }

  @Rpc(catalogRpc.categories)
  categories(input: Input<'categories'>, context: RpcContext): Reply | Promise<Reply> {
    const { sources, figures } = this.parts;
    return this.kept('categories', input, context, async (asking) =>
      asMade(categories(sources.series.values(), await figures.current(asking.nowUs))),
    );
  }

  @Rpc(catalogRpc.exportTarget)
  exportTarget(input: Input<'exportTarget'>, { signal }: RpcContext) {
    return exportTarget({ ...this.parts.sources, store: this.parts.store }, input, { nowUs: nowUs(), signal });
  }

  @Rpc(catalogRpc.record)
  record({ facts }: Input<'record'>, context: RpcContext) {
    return this.parts.record(facts, context.remainingMs - replyMs);
  }

  @Rpc(catalogRpc.awaitReadable)
  async awaitReadable({ seq }: Input<'awaitReadable'>, context: RpcContext) {
    const readable = await this.parts.changes.awaitReadable(seq, context.remainingMs - replyMs);
    this.parts.figures.mustBeSeen();
    this.parts.events.mustBeSeen();
    return readable;
  }

  /** An input was made by its schema, which writes equal ones in equal order. */
  private kept(
    kind: string,
    input: object,
    context: RpcContext,
    make: (asking: Asking) => Promise<Made>,
  ): Reply | Promise<Reply> {
    const key = `${kind} ${JSON.stringify(input)}`;
    return this.parts.kept.get(key, context, (signal) => make({ nowUs: nowUs(), signal }));
  }
}

const nowUs = (): number => Date.now() * 1_000;

/** What was read for this answer is kept when it is given again. */
const readNow = (answer: object): Made => ({
  first: { source: 'archive', ...answer },
  again: { source: 'cache', ...answer },
});

/** It does not tell where it is from, or is from figures that are kept in any case. */
const asMade = (answer: object): Made => ({ first: answer, again: answer });
