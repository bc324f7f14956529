import { type Bus, idOf, patterns } from '@almanac/bus';
import { type FileProgress, fileProgress, parseJson } from '@almanac/contracts';
import { entryCache, type Logger } from '@almanac/runtime';
import { createWatchers } from './watchers.js';

/** The latest progress of files in preparation, as their workers report it. */
export type FileProgresses = ReturnType<typeof followFileProgress>;

const filesMax = 10_000;

/** Progress is not stored. A missed message is replaced by the next one, a second later. */
export const followFileProgress = (bus: Bus, log: Logger) => {
  const last = entryCache<string, FileProgress>(filesMax);
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
    of: (fileKey: string): FileProgress | undefined => last.get(fileKey),
    /** Notifies of progress until the returned function is called. */
    watch: watchers.watch,
    ended: (fileKey: string) => last.delete(fileKey),
    stop: async () => subscription.unsubscribe(),
  };
};
