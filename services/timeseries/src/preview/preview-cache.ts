import { randomUUID } from 'node:crypto';
import { tokenOf } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import type { Redis } from 'ioredis';

/** What a preview's rows are made from: a market's data version, and whether the market was live. */
export interface PreviewIdentity {
  readonly ticker: string;
  readonly version: number;
  readonly live: boolean;
}

export interface ReadyPreview {
  readonly body: Buffer;
  readonly source: 'redis' | 'memory';
}

/** Ready previews by identity: in this process, and in Redis for all processes. A failure of Redis is a miss. */
export interface PreviewCache {
  get(identity: PreviewIdentity): Promise<ReadyPreview | undefined>;
  put(identity: PreviewIdentity, body: Buffer): Promise<void>;
  /**
   * Runs the work unless another process is at it. Without Redis it runs: a preview made twice is only work done
   * twice.
   */
  alone(identity: PreviewIdentity, work: () => Promise<void>): Promise<void>;
}

export interface PreviewCacheOptions {
  readonly redis: Redis;
  readonly log: Pick<Logger, 'warn'>;
  readonly kept: number;
  readonly ttlS: number;
  /** A process that died while preparing keeps the others waiting this long at most. */
  readonly lockMs: number;
}

/** `1` is the format of the bytes: a release that writes others counts it up and finds none of the old. */
const keyOf = ({ ticker, version, live }: PreviewIdentity): string =>
  `almanac:preview:1:${tokenOf(ticker)}:${version}:${live ? 'live' : 'over'}`;
const lockOf = (identity: PreviewIdentity): string => `${keyOf(identity)}:lock`;

/** Only the holder opens a lock: another may hold it when ours has run out. */
const unlockScript = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export const previewCache = ({ redis, log, kept, ttlS, lockMs }: PreviewCacheOptions): PreviewCache => {
  const memory = new Map<string, Buffer>();
  const keep = (key: string, body: Buffer): void => {
    memory.delete(key);
    memory.set(key, body);
    for (const oldest of memory.keys()) {
      if (memory.size <= kept) return;
      memory.delete(oldest);
    }
  };
  /** Redis is optional here: its client tells of an outage once, a command that fails while it is there is told here. */
  const tried = async <T>(what: string, command: () => Promise<T>): Promise<T | undefined> => {
    if (redis.status !== 'ready') return undefined;
    try {
      return await command();
    } catch (error) {
      log.warn({ err: error }, `Redis could not ${what}`);
      return undefined;
    }
  };
  return {
    get: async (identity) => {
      const key = keyOf(identity);
      const near = memory.get(key);
      if (near !== undefined) {
        keep(key, near);
        return { body: near, source: 'memory' };
      }
      const far = await tried('answer a preview', () => redis.getBuffer(key));
      if (far === undefined || far === null) return undefined;
      keep(key, far);
      return { body: far, source: 'redis' };
    },
    put: async (identity, body) => {
      keep(keyOf(identity), body);
      await tried('keep a preview', () => redis.set(keyOf(identity), body, 'EX', ttlS));
    },
    alone: async (identity, work) => {
      const token = randomUUID();
      const key = lockOf(identity);
      const locked = await tried('lock a preview', () => redis.set(key, token, 'PX', lockMs, 'NX'));
      if (locked === null) return;
      try {
        await work();
      } finally {
        if (locked === 'OK') await tried('unlock a preview', () => redis.eval(unlockScript, 1, key, token));
      }
    },
  };
};
