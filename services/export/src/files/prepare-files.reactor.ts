import { randomUUID } from 'node:crypto';
import { type Bus, consume, durables, type EventMessage, type Running } from '@almanac/bus';
import { type FileFacts, fileState, type FileState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { fileDecider, type FileCommand } from './file.decider.js';
import { type FileStores, writeFile } from './write-file.js';

export interface PrepareFilesOptions extends FileStores {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly log: Logger;
  readonly concurrency: number;
  /** Deliveries of one wanted file before it is given up. */
  readonly attempts: number;
}

const ackWaitMs = 10_000;
const workingEveryMs = 3_000;
const appendTimeoutMs = 10_000;

const gaveUp = 'The file could not be prepared after several attempts. Nothing was charged; please ask for it again.';

/**
 * The workers: they share one durable consumer, and each wanted file goes to one of them. A worker that dies is
 * replaced when its ack wait is over; `stop` hands back what is in hand within moments.
 */
export const prepareFiles = async (options: PrepareFilesOptions): Promise<Running> => {
  const { bus, log, concurrency, attempts } = options;
  const stopping = new AbortController();
  const running = await consume<FileState>(bus, {
    stream: 'EVT_FILE',
    durable: durables.exportWorkers,
    state: fileState,
    ackWaitMs,
    concurrency,
    deliveriesMax: attempts,
    onFailure: (error, { subject, seq }, next) => {
      if (!stopping.signal.aborted) log.warn({ err: error, subject, seq, next }, 'a file was not prepared');
    },
    handle: async (message, { working }) => {
      if (message.event.type !== 'FileWanted') return;
      const beat = setInterval(working, workingEveryMs);
      try {
        await prepareFile(options, message, stopping.signal);
      } finally {
        clearInterval(beat);
      }
    },
    onExhausted: async (message) => {
      // A stop is no failure of the file, even in its last delivery.
      stopping.signal.throwIfAborted();
      if (message.event.type === 'FileWanted') await append(options, message, { type: 'fail', error: gaveUp });
    },
  });
  return {
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      await running.stop();
    },
  };
};

const prepareFile = async (
  options: PrepareFilesOptions,
  message: EventMessage<FileState>,
  signal: AbortSignal,
): Promise<void> => {
  const current = await options.store.load(message.subject, fileState);
  if (current?.state.status !== 'wanted') return;
  const { key, question, requested_us } = current.state;
  const startedAt = performance.now();
  const file = await writeFile(options, { key, question, requested_us }, signal);
  const state = await append(options, message, { type: 'complete', file });
  if (state?.file?.storage_key !== file.storage_key) await discard(options, file);
  const { bytes, row_count } = file;
  options.log.info({ key, bytes, row_count, ms: Math.round(performance.now() - startedAt) }, 'a file is ready');
};

/** Another worker was first, and its object is the file. */
const discard = ({ objects }: PrepareFilesOptions, { storage_key }: FileFacts): Promise<void> =>
  objects.delete(storage_key);

const append = async (
  { store }: PrepareFilesOptions,
  { subject, event }: EventMessage<FileState>,
  command: FileCommand,
): Promise<FileState | undefined> => {
  const outcome = await execute(store, fileDecider(event.state.key), {
    subject,
    command,
    id: randomUUID(),
    account: null,
    time: Date.now() * 1_000,
    timeoutMs: appendTimeoutMs,
  });
  return outcome?.state;
};
