import { type Reply, Rpc, type RpcContext } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { type StoreInput, storeObservations, type StoreParts } from './observations/store-observations.js';
import { PREVIEWS, SNAPSHOTS, STORING } from './parts.js';
import type { Previews } from './preview/preview.read-model.js';
import { answerSnapshots, type SnapshotsAsk, type SnapshotsParts } from './snapshots/snapshots.read-model.js';

@Controller()
export class TimeseriesController {
  constructor(
    @Inject(STORING) private readonly storing: StoreParts,
    @Inject(SNAPSHOTS) private readonly parts: SnapshotsParts,
    @Inject(PREVIEWS) private readonly previews: Previews,
  ) {}

  @Rpc(timeseriesRpc.store)
  async store(input: StoreInput, context: RpcContext): Promise<z.input<typeof timeseriesRpc.store.output>> {
    const { body, signal } = context;
    const rows = await storeObservations(this.storing, input, { body, signal, remainingMs: () => context.remainingMs });
    return { rows };
  }

  @Rpc(timeseriesRpc.snapshots)
  snapshots(input: SnapshotsAsk, context: RpcContext): Promise<Reply> {
    return answerSnapshots(this.parts, input, context);
  }

  @Rpc(timeseriesRpc.preview)
  preview(input: z.output<typeof timeseriesRpc.preview.input>, context: RpcContext): Promise<Reply> {
    return this.previews.answer(input.ticker, context);
  }
}
