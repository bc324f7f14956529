import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ClickHouse } from './connect.js';
import { insertBytes, rows } from './query.js';

/** The right to be the one rebuild of a model. */
export interface Lease {
  /** Throws RebuildRefused when another rebuild lives as well: then neither may change what readers see. */
  requireAlone(): Promise<void>;
  release(): Promise<void>;
}

/** What the person who typed the command can put right; the message is for them. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}

export interface LeaseOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** One without a sign of life for so long is taken for dead. */
  readonly deadMs: number;
}

const life = z.object({ run: z.uuid(), silent_ms: z.number() });

/** Runs that have not ended, the one that began first first, each with the time since its last sign of life. */
const livesSql = `SELECT run, dateDiff('millisecond', max(at), now64(6)) AS silent_ms
  FROM rebuilds WHERE model = {model:String}
  GROUP BY run HAVING NOT max(ended) AND silent_ms < {dead_ms:UInt32} ORDER BY min(at), run`;

/**
 * Takes the lease, or throws RebuildRefused because another rebuild lives. One that was killed keeps the next waiting
 * until it counts as dead. ClickHouse has no locks: each run writes signs of life, and of those that live the first goes on.
 */
export const takeLease = async (clickhouse: ClickHouse, { model, signal, deadMs }: LeaseOptions): Promise<Lease> => {
  const run = randomUUID();
  const pollMs = deadMs / 20;
  const lives = (): Promise<z.output<typeof life>[]> =>
    rows<z.output<typeof life>>(clickhouse, { sql: livesSql, params: { model, dead_ms: deadMs } }, life);
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
  // A sign that could not be written is missed by the others only after several more; then `requireAlone` tells.
  const beating = setInterval(() => void write(false).catch(() => undefined), deadMs / 5);
  const release = async (): Promise<void> => {
    clearInterval(beating);
    await write(true);
  };
  try {
    await awaitFirst({ lives, run, model, signal, pollMs });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    requireAlone: async () => {
      // One that still waits for its turn leaves when it hears this sign of life; one that is at work stays.
      for (let waitedMs = 0; ; waitedMs += pollMs) {
        await write(false);
        const found = await lives();
        if (found.length === 1 && found[0]?.run === run) return;
        if (waitedMs > deadMs / 2) throw runsAlready(model);
        await delay(pollMs, undefined, { signal });
      }
    },
    release,
  };
};

const runsAlready = (model: string): RebuildRefused =>
  new RebuildRefused(
    `A rebuild of ${model} is already running. Wait until it ends. If it was killed, try again in 30 seconds.`,
  );

interface Waiting {
  readonly lives: () => Promise<z.output<typeof life>[]>;
  readonly run: string;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly pollMs: number;
}

/** Waits while those that began earlier are silent; one that gives a sign of life is at work. */
const awaitFirst = async ({ lives, run, model, signal, pollMs }: Waiting): Promise<void> => {
  const silent = new Map<string, number>();
  for (;;) {
    // One that began at the same time has written by now.
    await delay(pollMs, undefined, { signal });
    const found = await lives();
    const mine = found.findIndex((other) => other.run === run);
    const earlier = found.slice(0, Math.max(0, mine));
    if (earlier.length === 0) return;
    for (const other of earlier) {
      if (other.silent_ms < (silent.get(other.run) ?? 0)) throw runsAlready(model);
      silent.set(other.run, other.silent_ms);
    }
  }
};
