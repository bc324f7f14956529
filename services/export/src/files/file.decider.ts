import { type ExportQuery, type FileWaiter, type StoredFile, fileState, type FileState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

interface FileRequest {
  readonly query: ExportQuery;
  readonly requested_us: number;
  readonly markets?: FileState['markets'];
  /** The export that requests the file. It waits for it without an event of its own. */
  readonly waiter: FileWaiter;
}

export type FileCommand =
  | { readonly type: 'want'; readonly request: FileRequest }
  | { readonly type: 'complete'; readonly file: StoredFile; readonly manifest: string }
  /** The object of an export's file is missing from the store. */
  | { readonly type: 'vanish'; readonly storage_key: string }
  | { readonly type: 'fail'; readonly error: string };

export type FileEvent =
  | { readonly type: 'FileRequested'; readonly data: FileRequest }
  | { readonly type: 'FileReady'; readonly data: StoredFile & { readonly manifest: string } }
  | { readonly type: 'FileMissing'; readonly data: { readonly storage_key: string } }
  | { readonly type: 'FileFailed'; readonly data: { readonly error: string } };

/**
 * One file, prepared once for all exports that need it. Its state names the export that requested it. All others that
 * wait for it are not part of its state (waiters.ts). The next export requests a failed file again. A vanished file is
 * prepared again under the same key.
 */
export const fileDecider = (key: string): Decider<FileState, FileCommand, FileEvent> => ({
  state: fileState,
  decide: (command, state) => {
    if (command.type === 'want') return requestFile(command.request, state);
    if (command.type === 'vanish') return vanish(command, state);
    if (state?.status !== 'requested') return null;
    return command.type === 'complete'
      ? { type: 'FileReady', data: { ...command.file, manifest: command.manifest } }
      : { type: 'FileFailed', data: { error: command.error } };
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'FileRequested') {
      const { waiter, ...request } = domainEvent.data;
      const empty = { file: null, manifest: null, error: null };
      return { ...state, key, status: 'requested', ...request, waiting: [waiter], ...empty };
    }
    if (state === undefined) throw new Error(`${domainEvent.type} of a file that was never requested`);
    switch (domainEvent.type) {
      case 'FileReady': {
        const { manifest, ...file } = domainEvent.data;
        return { ...state, status: 'ready', file, manifest };
      }
      case 'FileMissing':
        return { ...state, status: 'requested', file: null, manifest: null, error: null };
      case 'FileFailed':
        return { ...state, status: 'failed', error: domainEvent.data.error };
      default:
        return unknown(domainEvent);
    }
  },
});

const requestFile = (request: FileRequest, state: FileState | undefined): FileEvent | null =>
  state === undefined || state.status === 'failed' ? { type: 'FileRequested', data: request } : null;

/** If the file is ready with another object, it was already prepared again. */
const vanish = (
  { storage_key }: Extract<FileCommand, { type: 'vanish' }>,
  state: FileState | undefined,
): FileEvent | null => {
  if (state === undefined || state.status === 'requested') return null;
  if (state.status === 'ready' && state.file?.storage_key !== storage_key) return null;
  return { type: 'FileMissing', data: { storage_key } };
};

const unknown = (domainEvent: never): never => {
  throw new Error(`unknown fact of a file ${JSON.stringify(domainEvent)}`);
};
