import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { dayUs, DomainError, fileState, type FileState, fileUse, type FileUse } from '@almanac/contracts';
import { type Decider, type EventStore, execute, type LoadedState } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import type { Logger } from '@almanac/runtime';
import { unixMicros } from '@almanac/runtime';

interface RemoveDeps {
  readonly store: EventStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

const dayOf = (us: number): number => Math.floor(us / dayUs);

/** A file's state to decide on. Throws if it needs a newer release. */
export const loadFile = async (store: EventStore, key: string): Promise<LoadedState<FileState> | undefined> => {
  const loaded = await store.load(subjects.file(key), fileState);
  if (loaded?.newer !== undefined) throw loaded.newer;
  return loaded;
};

/**
 * Deletes the object of a file that was ready with this state. The file stays ready: the next download finds the object
 * missing, and the file is prepared again (docs/decisions/026-vanished-files.md).
 */
export const removeObject = async ({ objects, log }: RemoveDeps, { key, file }: FileState): Promise<void> => {
  if (file === null) return;
  await objects.delete(file.storage_key);
  log.info({ key, storage_key: file.storage_key }, 'removed a file by policy');
};

/** Removes a ready file unless it became ready, or was downloaded, since `sinceUs`. A later event then removes it. */
export const removeIfUnused = async (deps: RemoveDeps, key: string, sinceUs: number): Promise<void> => {
  const loaded = await loadFile(deps.store, key);
  if (loaded?.state.status !== 'ready' || loaded.event.time > sinceUs) return;
  const use = await deps.store.load(subjects.fileUse(key), fileUse);
  // Later uses of that day are not recorded.
  if (use !== undefined && (use.newer !== undefined || (dayOf(use.state.used_us) + 1) * dayUs > sinceUs)) return;
  await removeObject(deps, loaded.state);
};

type FileUsed = { readonly type: 'FileUsed'; readonly data: { readonly used_us: number } };

/** At most one event a day for each file. */
const useDecider = (key: string): Decider<FileUse, number, FileUsed> => ({
  state: fileUse,
  decide: (used_us, state) =>
    state !== undefined && dayOf(used_us) <= dayOf(state.used_us) ? null : { type: 'FileUsed', data: { used_us } },
  evolve: (state, { data }) => ({ ...state, key, ...data }),
});

const appendTimeoutMs = 3_000;

/** Records that a file is used today. A download does not wait for storage: an unrecorded use is only logged. */
export const recordUse = async (
  { store, log }: Pick<RemoveDeps, 'store' | 'log'>,
  key: string,
  us = unixMicros(),
): Promise<void> => {
  try {
    await execute(store, useDecider(key), {
      subject: subjects.fileUse(key),
      command: us,
      id: randomUUID(),
      account: null,
      time: us,
      timeoutMs: appendTimeoutMs,
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    log.warn({ err: error, key }, 'the use of a file could not be recorded');
  }
};
