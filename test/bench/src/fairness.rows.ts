import { randomUUID } from 'node:crypto';
import { type RpcClient, rpcClient } from '@almanac/bus';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { median } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { ticker, withTimeseries } from './scaling.rows.js';

const readsOfBusyAccount = 120;
const readsPerSide = 15;
const rounds = 3;

const readOf = (rpc: RpcClient, account: string) =>
  rpc.forward(timeseriesRpc.snapshots, { input: { ticker }, context: { requestId: randomUUID(), account } });

/** The median time in milliseconds of reads that one client sends one after the other. */
const medianMs = async (rpc: RpcClient): Promise<number> => {
  const times: number[] = [];
  for (let read = 0; read < readsPerSide; read += 1) {
    const startedAt = performance.now();
    await readOf(rpc, 'quiet');
    times.push(performance.now() - startedAt);
  }
  return median(times);
};

/** Keeps this many reads of one account under way until the signal aborts. A refused read is sent again. */
const keepBusy = async (rpc: RpcClient, signal: AbortSignal): Promise<void> => {
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      await readOf(rpc, 'busy').catch((error: unknown) => {
        if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: readsOfBusyAccount }, client));
};

const beside = async (rpc: RpcClient): Promise<number> => {
  const stopping = new AbortController();
  const busy = keepBusy(rpc, stopping.signal);
  try {
    return await medianMs(rpc);
  } finally {
    stopping.abort();
    await busy;
  }
};

/** One account alone, and beside another account that keeps many reads under way. */
export const fairnessRows: readonly BenchRow[] = [
  {
    name: 'read of one account, beside 120 of another',
    against: 'the same read alone',
    threshold: { below: 2 },
    unit: 'ms',
    measure: (harness): Promise<Measured> =>
      withTimeseries(harness, 1, async (bus) => {
        const rpc = rpcClient(bus);
        const alone: number[] = [];
        const crowded: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          alone.push(await medianMs(rpc));
          crowded.push(await beside(rpc));
        }
        const ratios = crowded.map((ms, round) => ms / (alone[round] ?? NaN));
        return measuredPairs({ ours: median(crowded), reference: median(alone), ratio: median(ratios), ratios });
      }),
  },
];
