import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, type EventMessage, patterns, type Running } from '@almanac/bus';
import { dayUs, fileState, type FileState, fileUse, type FileUse } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import type { Logger } from '@almanac/runtime';
import { unixMicros, withJitter } from '@almanac/runtime';
import { loadFile, removeIfUnused, removeObject } from './remove-files.js';
import { sweepSlabs } from './sweep-slabs.js';
import { type Sweep, sweepStream } from './sweep-stream.js';

export interface SweepOptions {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /** Younger objects and uploads stay: a worker may be about to record them. */
  readonly ageS: number;
  /** Files that became ready before this time are removed. 0: never. */
  readonly maxAgeDays: number;
  /** Files that nobody has downloaded for this time are removed. 0: never. */
  readonly unusedDays: number;
}

/**
 * Deletes the objects of a file that are not its content, and aborts abandoned uploads. Workers leave them when they are
 * killed, or frozen until another one is faster. While the file is wanted, a worker may be storing it. A storage key is
 * never reused.
 */
const sweepFile = async ({ store, objects, log, ageS }: SweepOptions, key: string, nowUs: number): Promise<void> => {
  const loaded = await loadFile(store, key);
  if (loaded === undefined || loaded.state.status === 'requested') return;
  const before = nowUs / 1_000 - ageS * 1_000;
  const prefix = `files/${key}/`;
  for await (const { key: storageKey, modifiedAt } of objects.list(prefix)) {
    if (modifiedAt.getTime() > before || storageKey === loaded.state.file?.storage_key) continue;
    await objects.delete(storageKey);
    log.info({ storage_key: storageKey }, 'deleted an object without a file');
  }
  for await (const upload of objects.openUploads(prefix)) {
    if (upload.startedAt.getTime() > before) continue;
    await objects.abandonUpload(upload);
    log.info({ storage_key: upload.key }, 'aborted an abandoned upload');
  }
};

const isEnd = ({ type }: EventMessage<FileState>['event']): boolean => type === 'FileReady' || type === 'FileFailed';

export interface SweepRun {
  /** Unique for this process. */
  readonly process: string;
  readonly signal: AbortSignal;
  readonly nowUs?: () => number;
}

/**
 * Sweeps once what became old enough. Each sweep reads the events of files, which are the list of what changed: a file
 * without events costs nothing. Returns the number of events.
 */
export const sweepFiles = async (
  options: SweepOptions,
  { process, signal, nowUs = unixMicros }: SweepRun,
): Promise<number> => {
  const { maxAgeDays, unusedDays } = options;
  const deps = { ...options, process, nowUs };
  const ofFiles = { filter: patterns.allFiles, state: fileState };
  const readyFile = (remove: (state: FileState) => Promise<void>) => async (message: EventMessage<FileState>) => {
    if (message.event.type === 'FileReady') await remove(message.event.state);
  };
  const unusedUs = unusedDays * dayUs;
  const sweeps: Sweep<FileState>[] = [
    {
      ...ofFiles,
      name: 'objects',
      afterUs: options.ageS * 1e6,
      handle: async ({ event }) => (isEnd(event) ? sweepFile(options, event.state.key, nowUs()) : undefined),
    },
  ];
  if (maxAgeDays > 0)
    sweeps.push({
      ...ofFiles,
      name: 'aged',
      afterUs: maxAgeDays * dayUs,
      handle: readyFile((state) => removeObject(options, state)),
    });
  if (unusedDays > 0)
    sweeps.push({
      ...ofFiles,
      name: 'unused',
      afterUs: unusedUs,
      handle: readyFile(({ key }) => removeIfUnused(options, key, nowUs() - unusedUs)),
    });
  let swept = 0;
  for (const sweep of sweeps) swept += await sweepStream(deps, sweep, signal);
  if (unusedDays === 0) return swept;
  const uses: Sweep<FileUse> = {
    name: 'uses',
    filter: patterns.allFileUses,
    state: fileUse,
    // A use counts until the end of its day.
    afterUs: unusedUs + dayUs,
    handle: ({ event }) => removeIfUnused(options, event.state.key, nowUs() - unusedUs),
  };
  return swept + (await sweepStream(deps, uses, signal));
};

/** Sweeps at random intervals around `everyS` seconds. All processes try, and one of them sweeps. */
export const startSweeps = (
  options: SweepOptions & { readonly everyS: number; readonly slabDays: number },
): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const process = randomUUID();
  const sweeping = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(withJitter(options.everyS * 1_000), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await sweepFiles(options, { process, signal }).catch((error: unknown) => {
        if (!signal.aborted) options.log.warn({ err: error }, 'the sweep of files failed');
      });
      await sweepSlabs(options, signal).catch((error: unknown) => {
        if (!signal.aborted) options.log.warn({ err: error }, 'the sweep of slabs failed');
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
