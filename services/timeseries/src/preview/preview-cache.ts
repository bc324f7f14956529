import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { tokenOf } from '@almanac/bus';
import { type Redis, redisKeys } from '@almanac/redis';
import { type Logger, singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isNewer, type PreparedPreview } from './prepared-preview.js';

/**
 * The newest ready preview of each market, in the memory of this process and in Redis for all processes. One entry per
 * market, so a live market that changes every second leaves no garbage. A Redis failure is a miss.
 */
export type PreviewCache = ReturnType<typeof previewCache>;

export interface PreviewCacheOptions {
  readonly redis: Redis;
  readonly log: Pick<Logger, 'warn'>;
  readonly bytesMax: number;
  readonly ttlS: number;
  /** If a process dies while it prepares, the others wait at most this long. */
  readonly lockMs: number;
}

const keyOf = (ticker: string): string => redisKeys.preview(tokenOf(ticker));
const lockOf = (ticker: string): string => redisKeys.previewLock(tokenOf(ticker));

/** ARGV[1] is when the preview in memory was made. Redis does not send that one again: a body has about 100 KB. */
const getScript = `local made = redis.call('hget', KEYS[1], 'made')
if not made or made == ARGV[1] then return false end
return redis.call('hmget', KEYS[1], 'version', 'from', 'made', 'body')`;

/** Two processes can finish out of order. The condition is the same as in `isNewer`. */
const putScript = `local stored = redis.call('hmget', KEYS[1], 'version', 'made')
if stored[1] and tonumber(stored[1]) >= tonumber(ARGV[1]) and tonumber(stored[2]) > tonumber(ARGV[3]) then return 0 end
redis.call('hset', KEYS[1], 'version', ARGV[1], 'from', ARGV[2], 'made', ARGV[3], 'body', ARGV[4])
redis.call('expire', KEYS[1], ARGV[5])
return 1`;

/** Only the holder releases a lock: after the lock expires, another process may hold it. */
const unlockScript = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

const text = z.instanceof(Buffer).transform((bytes) => bytes.toString());
const integer = text.transform(Number).pipe(z.int());
const stored = z.tuple([integer, text, integer, z.instanceof(Buffer)]).nullable();

/** Size of an entry without its body: the cache's own overhead, the ticker and the other fields, rounded up. */
const overheadBytes = 1_024;

/** A preview contains its rows twice, 50 KB apart. A window of 128 KB finds the repetition and needs little memory. */
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 17 } };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const previewCache = ({ redis, log, bytesMax, ttlS, lockMs }: PreviewCacheOptions) => {
  // lru-cache does not accept a limit of 0. With 1 it stores nothing.
  const memory = new LRUCache<string, PreparedPreview>({
    maxSize: Math.max(1, bytesMax),
    sizeCalculation: ({ body }) => body.length + overheadBytes,
  });
  const inFlight = singleFlight<{ result: Promise<PreparedPreview | undefined> }>();
  const keep = (preview: PreparedPreview): void => {
    const older = memory.peek(preview.ticker);
    if (older === undefined || !isNewer(older, preview)) memory.set(preview.ticker, preview);
  };
  /** Redis is optional. Its client logs an outage once. This logs a command that fails while it is connected. */
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
    fromMemory: (ticker: string): PreparedPreview | undefined => memory.get(ticker),
    /** The preview in Redis, if it is newer than `fromMemory`. It is then also in memory. */
    fromRedis: (ticker: string): Promise<PreparedPreview | undefined> =>
      inFlight.join(ticker, () => ({ result: tried('load a preview', () => load(ticker)) })).call.result,
    put: async (preview: PreparedPreview) => {
      keep(preview);
      const { ticker, version, from, madeMs, body } = preview;
      await tried('store a preview', async () =>
        redis.eval(putScript, 1, keyOf(ticker), version, from, madeMs, await compress(body, packing), ttlS),
      );
    },
    /** Returns false if another process holds the market's lock. Without Redis it runs: preparing twice is harmless. */
    withLock: async (ticker: string, work: () => Promise<void>) => {
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
