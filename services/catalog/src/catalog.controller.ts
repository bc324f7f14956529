import { Reply, Rpc, type RpcContext } from '@almanac/bus';
import { catalogRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { eventDetail } from './event/event-detail.read-model.js';
import { listMarkets } from './market/list-markets.read-model.js';
import { marketDetail } from './market/market-detail.read-model.js';
import type { Asking } from './market/markets.js';
import { type CatalogParts, PARTS } from './parts.js';
import { search } from './search/search.read-model.js';
import { categories } from './series/categories.read-model.js';
import { listSeries } from './series/list-series.read-model.js';
import { seriesDetail } from './series/series-detail.read-model.js';
import { awaitReadable } from './tables/readable.js';
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
  async listMarkets(input: Input<'listMarkets'>, context: RpcContext): Promise<Reply> {
    return ofNow(await listMarkets(this.parts.sources, input, asking(context)));
  }

  @Rpc(catalogRpc.listSeries)
  async listSeries(input: Input<'listSeries'>, context: RpcContext): Promise<Reply> {
    return ofNow(await listSeries(this.parts.sources, input, asking(context)));
  }

  @Rpc(catalogRpc.seriesDetail)
  async seriesDetail(input: Input<'seriesDetail'>, context: RpcContext): Promise<Reply> {
    return ofNow(await seriesDetail(this.parts.sources, input, asking(context)));
  }

  @Rpc(catalogRpc.eventDetail)
  async eventDetail(input: Input<'eventDetail'>, context: RpcContext): Promise<Reply> {
    return ofNow(await eventDetail(this.parts.sources, input, asking(context)));
  }

  @Rpc(catalogRpc.search)
  async search(input: Input<'search'>, context: RpcContext): Promise<Reply> {
    return ofNow(await search(this.parts.sources, input, asking(context)));
  }

  @Rpc(catalogRpc.categories)
  async categories(_: Input<'categories'>, context: RpcContext): Promise<Reply> {
    return ofNow(await categories(this.parts.sources, asking(context)));
  }

  @Rpc(catalogRpc.exportTarget)
  exportTarget(input: Input<'exportTarget'>, context: RpcContext) {
    return exportTarget({ ...this.parts.sources, store: this.parts.store }, input, asking(context));
  }

  @Rpc(catalogRpc.record)
  record({ facts }: Input<'record'>, context: RpcContext) {
    return this.parts.record(facts, context.remainingMs - replyMs);
  }

  @Rpc(catalogRpc.awaitReadable)
  awaitReadable({ seq }: Input<'awaitReadable'>, context: RpcContext) {
    return awaitReadable(this.parts.bus, seq, context.remainingMs - replyMs);
  }
}

const nowUs = (): number => Date.now() * 1_000;

const asking = ({ signal }: RpcContext): Asking => ({ nowUs: nowUs(), signal });

/** Statuses and figures change with the clock, so such an answer is kept by nobody. */
const ofNow = (value: unknown): Reply => Reply.json(value, { cacheable: false });
