import { type Bus, idOf, patterns, type Running } from '@almanac/bus';
import { type FileProgress, fileProgress, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { createWatchers, type Watchers } from './watchers.js';

/** The latest progress of files in preparation, as their workers report it. */
export interface FileProgresses extends Running {
  of(fileKey: string): FileProgress | undefined;
  readonly watch: Watchers['watch'];
  ended(fileKey: string): void;
}

const filesMax = 10_000;

/** Progress is not stored. A missed message is replaced by the next one, a second later. */
export const followFileProgress = (bus: Bus, log: Logger): FileProgresses => {
  const last = new LRUCache<string, FileProgress>({ max: filesMax });
  const watchers = createWatchers();
  const subscription = bus.nc.subscribe(patterns.allFileProgress, {
    callback: (error, message) => {
      if (error !== null) return log.warn({ err: error }, 'the progress of files cannot be received');
      const progress = fileProgress.safeParse(parseJson(message.string())).data;
      if (progress === undefined)
        return log.warn({ subject: message.subject }, 'the progress of a file cannot be read');
      const key = idOf(message.subject.split('.').at(-1) ?? '');
      last.set(key, progress);
      watchers.notify(key);
      return undefined;
    },
  });
  return {
    of: (fileKey) => last.get(fileKey),
    watch: (fileKey, listener) => watchers.watch(fileKey, listener),
    ended: (fileKey) => last.delete(fileKey),
    stop: async () => subscription.unsubscribe(),
  };
};
