import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ClickHouse } from './connect.js';
import { insertBytes, rows } from './query.js';

/** The right to be the one rebuild of a model. */
export interface RebuildLease {
  /** Throws RebuildRefusedError when another rebuild lives as well: then neither may change what readers see. */
  requireExclusive(): Promise<void>;
  release(): Promise<void>;
}

/** What the person who typed the command can put right; the message is for them. */
export class RebuildRefusedError extends Error {
  override readonly name = 'RebuildRefused';
}

export interface RebuildLeaseOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** One without a sign of life for so long is taken for dead. */
  readonly expiryMs: number;
}

const liveRun = z.object({ run: z.uuid(), silent_ms: z.number() });

/** Runs that have not ended, the one that began first first, each with the time since its last sign of life. */
const liveRunsSql = `SELECT run, dateDiff('millisecond', max(at), now64(6)) AS silent_ms
  FROM rebuilds WHERE model = {model:String}
  GROUP BY run HAVING NOT max(ended) AND silent_ms < {dead_ms:UInt32} ORDER BY min(at), run`;

/**
 * Takes the lease, or throws RebuildRefusedError because another rebuild lives. One that was killed keeps the next waiting
 * until it counts as dead. ClickHouse has no locks: each run writes signs of life, and of those that live the first goes on.
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
  // A sign that could not be written is missed by the others only after several more; then `requireExclusive` tells.
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
      // One that still waits for its turn leaves when it hears this sign of life; one that is at work stays.
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

/** Waits while those that began earlier are silent; one that gives a sign of life is at work. */
const awaitFirst = async ({ liveRuns, run, model, signal, pollMs }: WaitOptions): Promise<void> => {
  const lastIdleMs = new Map<string, number>();
  for (;;) {
    // One that began at the same time has written by now.
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
