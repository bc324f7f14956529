import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { tokenOf } from '@almanac/bus';
import { redisKeys } from '@almanac/redis';
import { type Logger, singleFlight } from '@almanac/runtime';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isNewer, type PreparedPreview } from './prepared-preview.js';

/**
 * The newest ready preview of each market: in this process, and in Redis for all processes. One entry a market, so that
 * a live one which changes every second leaves nothing behind. A failure of Redis is a miss.
 */
export interface PreviewCache {
  /** The one in the memory of this process. */
  fromMemory(ticker: string): PreparedPreview | undefined;
  /** The one in Redis if it is newer than what `fromMemory` tells; it is near from then on. */
  fromRedis(ticker: string): Promise<PreparedPreview | undefined>;
  put(preview: PreparedPreview): Promise<void>;
  /**
   * Runs the work and answers true, unless another process is at this market's. Without Redis it runs: a preview made
   * twice is only work done twice.
   */
  withLock(ticker: string, work: () => Promise<void>): Promise<boolean>;
}

export interface PreviewCacheOptions {
  readonly redis: Redis;
  readonly log: Pick<Logger, 'warn'>;
  /** In this process. */
  readonly bytesMax: number;
  readonly ttlS: number;
  /** A process that died while preparing keeps the others waiting this long at most. */
  readonly lockMs: number;
}

const keyOf = (ticker: string): string => redisKeys.preview(tokenOf(ticker));
const lockOf = (ticker: string): string => redisKeys.previewLock(tokenOf(ticker));

/** A preview of 100 KB that is here already need not travel again: ARGV[1] is when it was made. */
const getScript = `local made = redis.call('hget', KEYS[1], 'made')
if not made or made == ARGV[1] then return false end
return redis.call('hmget', KEYS[1], 'version', 'from', 'made', 'body')`;

/** Two processes may finish out of order; the rule is that of `isNewer`. */
const putScript = `local stored = redis.call('hmget', KEYS[1], 'version', 'made')
if stored[1] and tonumber(stored[1]) >= tonumber(ARGV[1]) and tonumber(stored[2]) > tonumber(ARGV[3]) then return 0 end
redis.call('hset', KEYS[1], 'version', ARGV[1], 'from', ARGV[2], 'made', ARGV[3], 'body', ARGV[4])
redis.call('expire', KEYS[1], ARGV[5])
return 1`;

/** Only the holder opens a lock: another may hold it when ours has run out. */
const unlockScript = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

const text = z.instanceof(Buffer).transform((bytes) => bytes.toString());
const integer = text.transform(Number).pipe(z.int());
const stored = z.tuple([integer, text, integer, z.instanceof(Buffer)]).nullable();

/** What the cache's entry, the ticker and the other fields take beside the body; rounded up. */
const overheadBytes = 1_024;

/** The rows of a preview come twice in it, 50 KB apart: with a window of 128 KB they cost little, and so does the memory. */
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 17 } };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const previewCache = ({ redis, log, bytesMax, ttlS, lockMs }: PreviewCacheOptions): PreviewCache => {
  // lru-cache takes no bound of 0; of 1 it keeps nothing.
  const memory = new LRUCache<string, PreparedPreview>({
    maxSize: Math.max(1, bytesMax),
    sizeCalculation: ({ body }) => body.length + overheadBytes,
  });
  const inFlight = singleFlight<{ result: Promise<PreparedPreview | undefined> }>();
  const keep = (preview: PreparedPreview): void => {
    const older = memory.peek(preview.ticker);
    if (older === undefined || !isNewer(older, preview)) memory.set(preview.ticker, preview);
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
  const load = async (ticker: string): Promise<PreparedPreview | undefined> => {
    const fromMemory = memory.get(ticker);
    const answer = await redis.callBuffer('EVAL', getScript, 1, keyOf(ticker), fromMemory?.madeMs ?? '');
    const found = stored.parse(answer);
    if (found === null) return undefined;
    const [version, from, madeMs, packed] = found;
    const preview = { ticker, version, from, madeMs, body: await decompress(packed) };
    if (fromMemory !== undefined && isNewer(fromMemory, preview)) return undefined;
    keep(preview);
    return preview;
  };
  return {
    fromMemory: (ticker) => memory.get(ticker),
    fromRedis: (ticker) =>
      inFlight.join(ticker, () => ({ result: tried('answer a preview', () => load(ticker)) })).call.result,
    put: async (preview) => {
      keep(preview);
      const { ticker, version, from, madeMs, body } = preview;
      await tried('keep a preview', async () =>
        redis.eval(putScript, 1, keyOf(ticker), version, from, madeMs, await compress(body, packing), ttlS),
      );
    },
    withLock: async (ticker, work) => {
      const token = randomUUID();
      const key = lockOf(ticker);
      const locked = await tried('lock a preview', () => redis.set(key, token, 'PX', lockMs, 'NX'));
      if (locked === null) return false;
      try {
        await work();
      } finally {
        if (locked === 'OK') await tried('unlock a preview', () => redis.eval(unlockScript, 1, key, token));
      }
      return true;
    },
  };
};
