import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ClickHouse } from './connect.js';
import { insertBytes, rows } from './query.js';

/** The right to run the only rebuild of a read model. */
export interface RebuildLease {
  /** Throws RebuildRefusedError if another rebuild runs as well. Then neither may change what queries read. */
  requireExclusive(): Promise<void>;
  release(): Promise<void>;
}

/** An error that the operator can fix. The message is for the operator. */
export class RebuildRefusedError extends Error {
  override readonly name = 'RebuildRefused';
}

export interface RebuildLeaseOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** A rebuild without a heartbeat for this long counts as dead. */
  readonly expiryMs: number;
}

const liveRun = z.object({ run: z.uuid(), silent_ms: z.number() });

/** Runs that have not ended, oldest first, each with the time since its last heartbeat. */
const liveRunsSql = `SELECT run, dateDiff('millisecond', max(at), now64(6)) AS silent_ms
  FROM rebuilds WHERE model = {model:String}
  GROUP BY run HAVING NOT max(ended) AND silent_ms < {dead_ms:UInt32} ORDER BY min(at), run`;

/**
 * Acquires the lease, or throws RebuildRefusedError if another rebuild runs. After a killed rebuild, the next one
 * waits until the first counts as dead. ClickHouse has no locks, so each run writes heartbeats, and the oldest live
 * run continues.
 */
export const acquireRebuildLease = async (
  clickhouse: ClickHouse,
  { model, signal, expiryMs }: RebuildLeaseOptions,
): Promise<RebuildLease> => {
  const run = randomUUID();
  const pollMs = expiryMs / 20;
  const liveRuns = (): Promise<z.output<typeof liveRun>[]> =>
    rows<z.output<typeof liveRun>>(clickhouse, { sql: liveRunsSql, params: { model, dead_ms: expiryMs } }, liveRun);
  const write = async (ended: boolean): Promise<void> => {
    const body = Buffer.from(JSON.stringify({ model, run, ended }));
    await insertBytes(clickhouse, {
      table: 'rebuilds',
      columns: ['model', 'run', 'ended'],
      format: 'JSONEachRow',
      body,
    });
  };
  await write(false);
  // Other runs notice missing heartbeats only after several failures. `requireExclusive` then reports it.
  const heartbeatTimer = setInterval(() => void write(false).catch(() => undefined), expiryMs / 5);
  const release = async (): Promise<void> => {
    clearInterval(heartbeatTimer);
    await write(true);
  };
  try {
    await awaitFirst({ liveRuns, run, model, signal, pollMs });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    requireExclusive: async () => {
      // A run that waits for the lease leaves on this heartbeat. A run that works stays.
      for (let waitedMs = 0; ; waitedMs += pollMs) {
        await write(false);
        const found = await liveRuns();
        if (found.length === 1 && found[0]?.run === run) return;
        if (waitedMs > expiryMs / 2) throw runsAlready(model);
        await delay(pollMs, undefined, { signal });
      }
    },
    release,
  };
};

const runsAlready = (model: string): RebuildRefusedError =>
  new RebuildRefusedError(
    `A rebuild of ${model} is already running. Wait until it ends. If it was killed, try again in 30 seconds.`,
  );

interface WaitOptions {
  readonly liveRuns: () => Promise<z.output<typeof liveRun>[]>;
  readonly run: string;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly pollMs: number;
}

/** Waits while earlier runs are silent. An earlier run with a new heartbeat is working. */
const awaitFirst = async ({ liveRuns, run, model, signal, pollMs }: WaitOptions): Promise<void> => {
  const lastIdleMs = new Map<string, number>();
  for (;;) {
    // A run that started at the same time has written its heartbeat by now.
    await delay(pollMs, undefined, { signal });
    const found = await liveRuns();
    const ownIndex = found.findIndex((other) => other.run === run);
    const earlier = found.slice(0, Math.max(0, ownIndex));
    if (earlier.length === 0) return;
    for (const other of earlier) {
      if (other.silent_ms < (lastIdleMs.get(other.run) ?? 0)) throw runsAlready(model);
      lastIdleMs.set(other.run, other.silent_ms);
    }
  }
};
