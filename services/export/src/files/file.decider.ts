import { type ExportQuery, type StoredFile, fileState, type FileState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

export type Waiter = FileState['waiting'][number];

interface FileRequest {
  readonly question: ExportQuery;
  readonly waiter: Waiter;
  readonly requested_us: number;
}

export type FileCommand =
  | { readonly type: 'want'; readonly request: FileRequest }
  | { readonly type: 'complete'; readonly file: StoredFile; readonly manifest: string }
  /** The object of an export's file is missing from the store. */
  | { readonly type: 'vanish'; readonly storage_key: string; readonly waiter: Waiter }
  | { readonly type: 'fail'; readonly error: string };

export type FileEvent =
  | { readonly type: 'FileWanted'; readonly data: FileRequest }
  | { readonly type: 'WaiterAdded'; readonly data: { readonly waiter: Waiter } }
  | { readonly type: 'FileReady'; readonly data: StoredFile & { readonly manifest: string } }
  | { readonly type: 'FileVanished'; readonly data: { readonly storage_key: string; readonly waiter: Waiter } }
  | { readonly type: 'FileFailed'; readonly data: { readonly error: string } };

/**
 * One file, prepared once for all exports that need it. A ready file takes no waiters: a later export gets it at once.
 * The next export requests a failed file again. A vanished file is prepared again under the same key and keeps its
 * waiters.
 */
export const fileDecider = (key: string): Decider<FileState, FileCommand, FileEvent> => ({
  state: fileState,
  decide: (command, state) => {
    if (command.type === 'want') return requestFile(command.request, state);
    if (command.type === 'vanish') return vanish(command, state);
    if (state?.status !== 'wanted') return null;
    return command.type === 'complete'
      ? { type: 'FileReady', data: { ...command.file, manifest: command.manifest } }
      : { type: 'FileFailed', data: { error: command.error } };
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'FileWanted') {
      const { waiter, ...requested } = domainEvent.data;
      return { key, status: 'wanted', ...requested, waiting: [waiter], file: null, manifest: null, error: null };
    }
    if (state === undefined) throw new Error(`${domainEvent.type} of a file that was never requested`);
    switch (domainEvent.type) {
      case 'WaiterAdded':
        return { ...state, waiting: [...state.waiting, domainEvent.data.waiter] };
      case 'FileReady': {
        const { manifest, ...file } = domainEvent.data;
        return { ...state, status: 'ready', file, manifest };
      }
      case 'FileVanished': {
        const waiting = isWaiting(state, domainEvent.data.waiter)
          ? state.waiting
          : [...state.waiting, domainEvent.data.waiter];
        return { ...state, status: 'wanted', waiting, file: null, manifest: null, error: null };
      }
      case 'FileFailed':
        return { ...state, status: 'failed', error: domainEvent.data.error };
      default:
        return unknown(domainEvent);
    }
  },
});

const requestFile = (request: FileRequest, state: FileState | undefined): FileEvent | null => {
  if (state === undefined || state.status === 'failed') return { type: 'FileWanted', data: request };
  const { waiter } = request;
  if (state.status === 'ready' || isWaiting(state, waiter)) return null;
  return { type: 'WaiterAdded', data: { waiter } };
};

const isWaiting = (state: FileState, waiter: Waiter): boolean =>
  state.waiting.some(({ export_id }) => export_id === waiter.export_id);

/** If the file is ready with another object, it was already prepared again. */
const vanish = (
  { storage_key, waiter }: Extract<FileCommand, { type: 'vanish' }>,
  state: FileState | undefined,
): FileEvent | null => {
  if (state === undefined) return null;
  if (state.status === 'wanted') return isWaiting(state, waiter) ? null : { type: 'WaiterAdded', data: { waiter } };
  if (state.status === 'ready' && state.file?.storage_key !== storage_key) return null;
  return { type: 'FileVanished', data: { storage_key, waiter } };
};

const unknown = (domainEvent: never): never => {
  throw new Error(`unknown fact of a file ${JSON.stringify(domainEvent)}`);
};
