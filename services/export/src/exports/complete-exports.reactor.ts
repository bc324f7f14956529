import { type Bus, consume, durables, type EventMessage, patterns, type Running } from '@almanac/bus';
import { fileState, type FileState, type FileWaiter } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { waitersOf } from '../files/waiters.js';
import { endExport, type FileEnd } from './end-export.js';

const completedAtOnce = 8;
const batchMax = 200;

/** Completes or fails every export that waits for a file, when the file is ready or has failed. */
export const completeExports = (bus: Bus, store: EventStore, log: Logger): Promise<Running> =>
  consume<FileState>(bus, {
    stream: 'EVT_FILE',
    durable: durables.exportCompletions,
    filter: patterns.allFiles,
    state: fileState,
    concurrency: 8,
    ackWaitMs: 30_000,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'the exports of a file could not be completed'),
    handle: async ({ subject, seq, event }: EventMessage<FileState>, { working }) => {
      const command = endOf(await currentFileState(store, subject, event.state), event.time);
      if (command === null) return;
      const complete = (waiters: readonly FileWaiter[]): Promise<void> =>
        forEachConcurrent(waiters, completedAtOnce, (waiter) => endExport(store, waiter, command));
      const batch = [...event.state.waiting];
      for await (const waiter of waitersOf(bus, event.state.key, seq)) {
        batch.push(waiter);
        if (batch.length < batchMax) continue;
        await complete(batch.splice(0));
        working();
      }
      await complete(batch);
    },
  });

/** Loads the current state: a late message must not lead to an object that vanished. Its waiters continue to wait. */
const currentFileState = async (store: EventStore, subject: string, reportedState: FileState): Promise<FileState> =>
  reportedState.status === 'ready' ? ((await store.load(subject, fileState))?.state ?? reportedState) : reportedState;

const endOf = (state: FileState, atUs: number): FileEnd | null => {
  if (state.status === 'requested') return null;
  if (state.status === 'failed')
    return {
      type: 'fail',
      error: state.error ?? 'The file could not be prepared. You were not charged. Create the export again.',
    };
  if (state.file === null) throw new Error(`the ready file ${state.key} has no file`);
  return { type: 'complete', ready: { ...state.file, ready_us: atUs } };
};
