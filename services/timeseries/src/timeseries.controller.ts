import { type Reply, type StreamReply } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import { readTimeOf, timeseriesRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import {
  answerCandleBatch,
  answerCandles,
  type CandleBatchRequest,
  type CandlesRequest,
} from './candles/candles.query.js';
import { answerEventSnapshots, type EventSnapshotsRequest } from './event-grid/event-snapshots.query.js';
import { answerBook, type BookRequest } from './moments/book.query.js';
import { answerMarketsAt, type MarketsAtRequest } from './moments/markets-at.query.js';
import { type StoreInput, storeObservations, type StoreDeps } from './observations/store-observations.command.js';
import { PREVIEWS, READS, type QueryDeps, SNAPSHOTS, STORING } from './timeseries-deps.js';
import { answerPastPreview } from './preview/past-preview.query.js';
import type { Previews } from './preview/preview.query.js';
import { answerSnapshots, type SnapshotsRequest, type SnapshotsDeps } from './snapshots/snapshots.query.js';
import { answerTrades, type TradesRequest } from './trades/trades.query.js';

@Controller()
export class TimeseriesController {
  constructor(
    @Inject(STORING) private readonly storing: StoreDeps,
    @Inject(SNAPSHOTS) private readonly deps: SnapshotsDeps,
    @Inject(READS) private readonly reads: QueryDeps,
    @Inject(PREVIEWS) private readonly previews: Previews,
  ) {}

  @Rpc(timeseriesRpc.store)
  async store(input: StoreInput, context: RpcContext): Promise<z.input<typeof timeseriesRpc.store.output>> {
    const { body, signal } = context;
    const rows = await storeObservations(this.storing, input, { body, signal, remainingMs: () => context.remainingMs });
    return { rows };
  }

  @Rpc(timeseriesRpc.snapshots)
  snapshots(input: SnapshotsRequest, context: RpcContext): Promise<Reply | StreamReply> {
    return answerSnapshots(this.deps, input, context);
  }

  @Rpc(timeseriesRpc.trades)
  trades(input: TradesRequest, context: RpcContext): Promise<Reply | StreamReply> {
    return answerTrades(this.reads, input, context);
  }

  @Rpc(timeseriesRpc.preview)
  async preview(input: z.output<typeof timeseriesRpc.preview.input>, context: RpcContext): Promise<Reply> {
    const { ticker, as_of } = input;
    if (as_of === undefined) return this.previews.answer(ticker, context);
    return answerPastPreview(this.reads, { ticker, time: readTimeOf(as_of) }, context);
  }

  @Rpc(timeseriesRpc.book)
  book(input: BookRequest, context: RpcContext): Promise<Reply> {
    return answerBook(this.reads, input, context);
  }

  @Rpc(timeseriesRpc.marketsAt)
  marketsAt(input: MarketsAtRequest, context: RpcContext): Promise<Reply> {
    return answerMarketsAt(this.reads, input, context);
  }

  @Rpc(timeseriesRpc.candles)
  candles(input: CandlesRequest, context: RpcContext): Promise<Reply> {
    return answerCandles(this.reads, input, context);
  }

  @Rpc(timeseriesRpc.candleBatch)
  candleBatch(input: CandleBatchRequest, context: RpcContext): Promise<Reply> {
    return answerCandleBatch(this.reads, input, context);
  }

  @Rpc(timeseriesRpc.eventSnapshots)
  eventSnapshots(input: EventSnapshotsRequest, context: RpcContext): Promise<Reply> {
    return answerEventSnapshots(this.reads, input, context);
  }
}
