import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type ObjectStore, ObjectStoreError, slabsPrefix } from '@almanac/object-store';
import { entryCache, type Logger, withTimeout } from '@almanac/runtime';
import { preparations } from '../preparations.js';
import { circuitBreaker } from './circuit-breaker.js';
import { formatMark, SlabFault, type SlabKey } from './slab-format.js';
import type { SlabFolder } from './slab-folder.js';
import type { Fetched, SlabMetrics } from './slab-metrics.js';
import { hitRate } from './hit-rate.js';

export interface SlabStoreOptions {
  readonly objects: Pick<ObjectStore, 'read' | 'putStream' | 'close'>;
  /** Where fetched slabs go, and stored ones come from. */
  readonly folder: Pick<SlabFolder, 'receive' | 'pathOf'>;
  readonly metrics: SlabMetrics;
  readonly log: Pick<Logger, 'warn'>;
  /** After the object store failed. It doubles with each further failure. Default: 5 s. */
  readonly pauseMs?: number;
  /** Until the store begins its answer. Default: 500 ms. */
  readonly answerMs?: number;
}

/** The slabs of all processes, in the object store. No call throws. */
export interface SlabStore {
  /** Whether a read should wait for `fetch`: the store answers, and is likely to have the slab. */
  isPromising(key: SlabKey, isRecent: boolean): boolean;
  /** Copies a slab to the folder. Calls for the same slab share one request. */
  fetch(key: SlabKey, isRecent: boolean): Promise<Fetched>;
  /** Stores a slab of the folder behind. */
  offer(key: SlabKey): void;
  /** When nothing is stored or waits. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const fetchesAtOnce = 32;
const uploadsAtOnce = 2;
const uploadsWaitingMax = 1_000;
const uploadAttempts = 6;
const pauseMsMax = 120_000;
const stopMs = 2_000;
/** Another process can store a slab at any time. */
const missing = { max: 50_000, ttlMs: 60_000 } as const;

/** A name is of one content: another version of the data, the format or the SQL has another one. */
const objectNameOf = ({ textVersion, ...key }: SlabKey): string => {
  const { ticker, version, kind, fromUs, toUs, repeated } = key;
  const id = createHash('sha256')
    .update(JSON.stringify([ticker, kind, fromUs, toUs, repeated]))
    .digest('hex');
  return `${slabsPrefix}${formatMark}-${textVersion}/${id}-${version}`;
};

export const slabStore = (options: SlabStoreOptions): SlabStore => {
  const { objects, folder, metrics, log, pauseMs = 5_000, answerMs = 500 } = options;
  const breaker = circuitBreaker({ pauseMs, pauseMsMax });
  const fetches = new Map<string, Promise<Fetched>>();
  const missed = entryCache<string, true>(missing.max, missing);
  const shares = { recent: hitRate(), older: hitRate() };
  const shareOf = (isRecent: boolean) => shares[isRecent ? 'recent' : 'older'];
  const onFailure = (error: unknown): void => {
    if (breaker.onFailure()) log.warn({ err: error }, 'the object store of slabs failed; it is left alone for a while');
  };
  const fetchNow = async (key: SlabKey, name: string): Promise<Fetched> => {
    if (fetches.size >= fetchesAtOnce || !breaker.mayCall()) return 'skipped';
    try {
      const object = await objects.read(name, { deadlineMs: answerMs });
      if (object !== undefined) await folder.receive(key, object.body);
      breaker.onSuccess();
      return object === undefined ? 'missing' : 'found';
    } catch (error) {
      const answer = answerIn(error);
      if (answer === 'failed') onFailure(error);
      else breaker.onSuccess();
      if (answer === 'corrupt') log.warn({ err: error, name }, 'a slab in the object store is corrupt; it is replaced');
      return answer;
    }
  };
  const uploads = slabUploads({ ...options, breaker, onFailure, onStored: (name) => void missed.delete(name) });
  return {
    isPromising: (key, isRecent) => shareOf(isRecent).isPromising() && !missed.has(objectNameOf(key)),
    fetch: (key, isRecent) => {
      const name = objectNameOf(key);
      const running = fetches.get(name);
      if (running !== undefined) return running;
      const fetching = fetchNow(key, name).then((answer) => {
        fetches.delete(name);
        metrics.onFetched(answer);
        if (answer === 'missing' || answer === 'corrupt') missed.set(name, true);
        if (answer === 'found' || answer === 'missing') shareOf(isRecent).add(answer === 'found');
        return answer;
      });
      fetches.set(name, fetching);
      return fetching;
    },
    offer: (key) => uploads.offer(key),
    idle: async () => {
      await Promise.all(fetches.values());
      await uploads.idle();
    },
    stop: async () => {
      await withTimeout(stopMs, uploads.stop(), () => undefined);
      objects.close();
    },
  };
};

/** Without the right to list, a store may refuse what is missing (AWS). */
const answerIn = (error: unknown): Fetched => {
  if (error instanceof SlabFault) return 'corrupt';
  return error instanceof ObjectStoreError && error.failure === 'refused' ? 'missing' : 'failed';
};

/** A slab can be deleted at any time. */
const openIfThere = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

interface UploadDeps extends SlabStoreOptions {
  readonly breaker: ReturnType<typeof circuitBreaker>;
  readonly onFailure: (error: unknown) => void;
  readonly onStored: (name: string) => void;
}

/** Stores slabs behind, few at once. An upload waits while the store fails, and is given up after some attempts. */
const slabUploads = ({ objects, folder, metrics, log, breaker, ...on }: UploadDeps) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const put = async (name: string, file: FileHandle): Promise<boolean> => {
    while (!breaker.mayCall()) await delay(breaker.waitMs, undefined, { signal });
    try {
      await objects.putStream(name, file.createReadStream(), { contentType: 'application/octet-stream', signal });
      breaker.onSuccess();
      return true;
    } catch (error) {
      on.onFailure(error);
      if (signal.aborted) throw error;
      return false;
    }
  };
  const upload = async (key: SlabKey): Promise<void> => {
    const name = objectNameOf(key);
    for (let attempt = 1; attempt <= uploadAttempts; attempt += 1) {
      const path = folder.pathOf(key);
      const file = path === undefined ? undefined : await openIfThere(path);
      if (file === undefined) return;
      try {
        if (!(await put(name, file))) continue;
      } finally {
        await file.close();
      }
      on.onStored(name);
      return metrics.onUploaded('stored');
    }
    throw new Error(`the object store failed ${uploadAttempts} times`);
  };
  const waiting = preparations({
    atOnce: uploadsAtOnce,
    waitingMax: uploadsWaitingMax,
    accountWaitingMax: uploadsWaitingMax,
    onFailure: (error, name) => {
      metrics.onUploaded('failed');
      if (!signal.aborted) log.warn({ err: error, name }, 'a slab could not be stored; other processes make it again');
    },
  });
  return {
    offer: (key: SlabKey): void => {
      if (!waiting.offer(objectNameOf(key), '', () => upload(key))) metrics.onUploaded('failed');
    },
    idle: () => waiting.idle(),
    stop: (): Promise<void> => {
      stopping.abort(new Error('this process stops'));
      return waiting.stop();
    },
  };
};
