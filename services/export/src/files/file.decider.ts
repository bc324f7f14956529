import { type ExportQuestion, type FileFacts, fileState, type FileState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

export type Waiter = FileState['waiting'][number];

interface Want {
  readonly question: ExportQuestion;
  readonly waiter: Waiter;
  readonly requested_us: number;
}

export type FileCommand =
  | { readonly type: 'want'; readonly want: Want }
  | { readonly type: 'complete'; readonly file: FileFacts }
  | { readonly type: 'fail'; readonly error: string };

export type FileFact =
  | { readonly type: 'FileWanted'; readonly data: Want }
  | { readonly type: 'WaiterAdded'; readonly data: { readonly waiter: Waiter } }
  | { readonly type: 'FileReady'; readonly data: FileFacts }
  | { readonly type: 'FileFailed'; readonly data: { readonly error: string } };

/**
 * One file, prepared once whoever asks. A ready one stays ready and takes no more waiters: who comes later is told at
 * once. A failed one is wanted again by the next export that asks.
 */
export const fileDecider = (key: string): Decider<FileState, FileCommand, FileFact> => ({
  state: fileState,
  decide: (command, state) => {
    if (command.type === 'want') return want(command.want, state);
    if (state?.status !== 'wanted') return null;
    return command.type === 'complete'
      ? { type: 'FileReady', data: command.file }
      : { type: 'FileFailed', data: { error: command.error } };
  },
  evolve: (state, fact) => {
    if (fact.type === 'FileWanted') {
      const { waiter, ...asked } = fact.data;
      return { key, status: 'wanted', ...asked, waiting: [waiter], file: null, error: null };
    }
    if (state === undefined) throw new Error(`${fact.type} of a file that nobody wanted`);
    switch (fact.type) {
      case 'WaiterAdded':
        return { ...state, waiting: [...state.waiting, fact.data.waiter] };
      case 'FileReady':
        return { ...state, status: 'ready', file: fact.data };
      case 'FileFailed':
        return { ...state, status: 'failed', error: fact.data.error };
      default:
        return unknown(fact);
    }
  },
});

const want = (wanted: Want, state: FileState | undefined): FileFact | null => {
  if (state === undefined || state.status === 'failed') return { type: 'FileWanted', data: wanted };
  const { waiter } = wanted;
  if (state.status === 'ready' || state.waiting.some(({ export_id }) => export_id === waiter.export_id)) return null;
  return { type: 'WaiterAdded', data: { waiter } };
};

const unknown = (fact: never): never => {
  throw new Error(`unknown fact of a file ${JSON.stringify(fact)}`);
};
