import { type Reply, Rpc, type RpcContext, type StreamReply } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { type StoreInput, storeObservations, type StoreDeps } from './observations/store-observations.js';
import { PREVIEWS, SNAPSHOTS, STORING, TRADES } from './timeseries-deps.js';
import type { Previews } from './preview/preview.query.js';
import { answerSnapshots, type SnapshotsRequest, type SnapshotsDeps } from './snapshots/snapshots.query.js';
import { answerTrades, type TradesDeps, type TradesRequest } from './trades/trades.query.js';

@Controller()
export class TimeseriesController {
  constructor(
    @Inject(STORING) private readonly storing: StoreDeps,
    @Inject(SNAPSHOTS) private readonly deps: SnapshotsDeps,
    @Inject(TRADES) private readonly trading: TradesDeps,
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
    return answerTrades(this.trading, input, context);
  }

  @Rpc(timeseriesRpc.preview)
  preview(input: z.output<typeof timeseriesRpc.preview.input>, context: RpcContext): Promise<Reply> {
    return this.previews.answer(input.ticker, context);
  }
}
