import { setTimeout as delay } from 'node:timers/promises';
import { type Running, subjects } from '@almanac/bus';
import { fileState } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import type { Logger } from '@almanac/runtime';

export interface SweepOptions {
  readonly store: EventStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /** Younger objects and uploads stay: a worker may be about to record them. */
  readonly ageS: number;
}

const prefix = 'files/';

/**
 * Deletes objects that belong to no file, and ends abandoned uploads. Workers leave them when they are killed, or
 * frozen until another one is faster. An object belongs to a file that is wanted, or that is ready with this object. A
 * storage key is never reused, so an object without a file never gets one.
 */
export const sweepObjects = async (
  { store, objects, log, ageS }: SweepOptions,
  signal: AbortSignal,
): Promise<{ objects: number; uploads: number }> => {
  const before = Date.now() - ageS * 1_000;
  const swept = { objects: 0, uploads: 0 };
  for await (const { key, modifiedAt } of objects.list(prefix)) {
    signal.throwIfAborted();
    if (modifiedAt.getTime() > before || (await isOfFile(store, key))) continue;
    await objects.delete(key);
    swept.objects += 1;
    log.info({ storage_key: key }, 'deleted an object without a file');
  }
  for await (const upload of objects.openUploads(prefix)) {
    signal.throwIfAborted();
    if (upload.startedAt.getTime() > before) continue;
    await objects.abandonUpload(upload);
    swept.uploads += 1;
    log.info({ storage_key: upload.key }, 'aborted an abandoned upload');
  }
  return swept;
};

const isOfFile = async (store: EventStore, storageKey: string): Promise<boolean> => {
  const [, fileKey = ''] = storageKey.split('/');
  const state = (await store.load(subjects.file(fileKey), fileState))?.state;
  return state?.status === 'wanted' || (state?.status === 'ready' && state.file?.storage_key === storageKey);
};

/** Sweeps at random intervals around `everyS` seconds, so that processes do not sweep together. */
export const startSweeps = (options: SweepOptions & { readonly everyS: number }): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweeping = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(options.everyS * 1_000 * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await sweepObjects(options, signal).catch((error: unknown) => {
        if (!signal.aborted) options.log.warn({ err: error }, 'the sweep of objects failed');
      });
    }
  };
  const running = sweeping();
  return {
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      await running;
    },
  };
};
