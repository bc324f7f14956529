import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Bus,
  consume,
  durables,
  type EventMessage,
  isInvalidArgument,
  NonRetryableError,
  patterns,
  retryMs,
  type Running,
  subjects,
} from '@almanac/bus';
import { DomainError, type StoredFile, fileState, type FileState, type FileProgress } from '@almanac/contracts';
import { type EventStore, execute, type VersionedState } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { unixMicros } from '@almanac/runtime';
import { recordDataset } from '../datasets/datasets.js';
import { fileDecider, type FileCommand } from './file.decider.js';
import { marketVersions } from './file-key.js';
import type { FileMetrics } from './metrics.js';
import { packManifest, unpackTickers } from './manifest.js';
import { isTimeout, userMessageOf } from './classify-errors.js';
import { type FileQueue, fileQueue } from './file-queue.js';
import { retryDuringOutages } from './outages.js';
import { type FileStats, readFileStats } from './file-stats.js';
import { clockOf } from './file-selection.js';
import { cachedRead } from './cached-read.js';
import { fileQueryFor, type FileStores, type PendingFile, writeFile, type WrittenFile } from './write-file.js';

export interface PrepareFilesOptions extends Omit<FileStores, 'versionsOf'> {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly log: Logger;
  readonly metrics: FileMetrics;
  /** Files that are prepared at once. */
  readonly concurrency: number;
  readonly largeFromRows: number;
  /** Failed attempts before a file fails. An outage of a store and a worker that stops do not count. */
  readonly attempts: number;
}

/** A killed worker counts as lost this long after its last heartbeat. */
const ackWaitMs = 10_000;
const workingEveryMs = 3_000;
const appendTimeoutMs = 10_000;
/** Deliveries that may be lost with their worker, on top of the attempts, so a file that kills workers fails. */
const lostWorkersMax = 30;

/**
 * Files that a process holds while they wait for a worker. More than one account may have pending, so that small files
 * and other accounts can overtake.
 */
const heldMax = 32;

/**
 * The export workers. They share one durable consumer, so another worker takes over when one dies. `fileQueue` decides
 * which waiting file is next (docs/decisions/048-fair-queues.md). While a store is unavailable or slow, the delivery
 * waits. A store that answers with an error fails the attempt, and the last failed attempt fails the file
 * (docs/decisions/025-outages-are-no-attempts.md).
 */
export const prepareFiles = async (options: PrepareFilesOptions): Promise<Running> => {
  const { bus, log, metrics, concurrency, attempts } = options;
  const stopping = new AbortController();
  const turns = fileQueue(options);
  const running = await consume<FileState>(bus, {
    stream: 'EVT_FILE',
    durable: durables.exportWorkers,
    filter: patterns.allFiles,
    state: fileState,
    ackWaitMs,
    concurrency: Math.max(heldMax, 2 * concurrency),
    deliveriesMax: attempts + lostWorkersMax,
    onFailure: (error, { subject, seq }, next) => {
      if (stopping.signal.aborted) return;
      metrics.attempts.inc({ outcome: next === 'dead' ? 'given_up' : 'failed' });
      log[next === 'dead' ? 'error' : 'warn']({ err: error, subject, seq, next }, 'a file could not be prepared');
    },
    handle: async (message, { working, count }) => {
      if (!isPendingFile(message)) return;
      const heartbeatTimer = setInterval(working, workingEveryMs);
      try {
        await prepareInTurn(options, { message, turns }, stopping.signal);
      } catch (error) {
        // An event that is too large stays too large, and a count that took too long was repeated already.
        const isLast = count >= attempts || isInvalidArgument(error) || isTimeout(error);
        throw isLast && !stopping.signal.aborted ? new NonRetryableError(error) : error;
      } finally {
        clearInterval(heartbeatTimer);
      }
    },
    onExhausted: async (message, error) => {
      // A stop must not fail the file, even in its last delivery.
      stopping.signal.throwIfAborted();
      if (!isPendingFile(message)) return;
      const why = userMessageOf(error instanceof NonRetryableError ? error.cause : error);
      await append(options, message, { command: { type: 'fail', error: why }, signal: stopping.signal });
    },
  });
  return {
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      await running.stop();
    },
  };
};

const isPendingFile = ({ event }: EventMessage<FileState>): boolean =>
  event.type === 'FileRequested' || event.type === 'FileMissing';

/** What was read before a file waits for its turn is read again after a longer wait, and if it is too large to hold. */
const recentMs = ackWaitMs;
const heldStatsMax = 1_000;

/** Counts the rows of a pending file, waits for its turn, and prepares it. */
const prepareInTurn = async (
  options: PrepareFilesOptions,
  { message, turns }: { message: EventMessage<FileState>; turns: FileQueue },
  signal: AbortSignal,
): Promise<void> => {
  const { store, clickhouse, metrics } = options;
  const load = cachedRead(() => store.load(message.subject, fileState), { maxAgeMs: recentMs });
  const current = await load();
  if (current?.state.status !== 'requested') return;
  const { key, query, waiting, requested_us } = current.state;
  const nowUs = clockOf(query, requested_us);
  const exportQuery = fileQueryFor(query, await marketsOf(current.state));
  const stats = cachedRead(() => readFileStats(clickhouse, { exportQuery, nowUs }, signal), {
    maxAgeMs: recentMs,
    isStored: ({ counts, missed }) => counts.markets.length + missed.gaps.length <= heldStatsMax,
  });
  metrics.waiting.inc();
  try {
    const { counts } = await retryDuringOutages(options, { key, signal }, stats);
    await turns.run({ account: waiting[0]?.account ?? '', rows: counts.rows, signal }, async () => {
      metrics.waiting.dec();
      metrics.running.inc();
      try {
        await prepareFile(options, { message, load, stats }, signal);
      } finally {
        metrics.running.dec();
        metrics.waiting.inc();
      }
    });
  } finally {
    metrics.waiting.dec();
  }
};

interface FileInTurn {
  readonly message: EventMessage<FileState>;
  readonly load: () => Promise<VersionedState<FileState> | undefined>;
  readonly stats: () => Promise<FileStats>;
}

const prepareFile = async (
  options: PrepareFilesOptions,
  { message, load, stats }: FileInTurn,
  signal: AbortSignal,
): Promise<void> => {
  const current = await load();
  if (current?.state.status !== 'requested') return;
  const { key, query, requested_us } = current.state;
  const markets = await marketsOf(current.state);
  const startedAt = performance.now();
  const { file, manifest } = await retryDuringOutages(options, { key, signal }, () =>
    writePending(options, { key, exportQuery: query, markets, requested_us }, { signal, stats }),
  );
  const command = { type: 'complete', file, manifest: await packManifest(manifest) } as const;
  // Before the file is ready, so that each dataset that an export shows exists.
  const recorded = { key, query, file, manifest: command.manifest, requested_us };
  await untilRecorded(options, { subject: message.subject, signal }, () =>
    recordDataset(options.store, recorded, { madeUs: unixMicros(), isNew: true }),
  );
  const state = await append(options, message, { command, known: current, signal });
  if (state?.file?.storage_key !== file.storage_key) await discard(options, file);
  const { bytes, row_count } = file;
  options.metrics.attempts.inc({ outcome: 'ready' });
  options.metrics.bytes.inc(bytes);
  options.log.info({ key, bytes, row_count, ms: Math.round(performance.now() - startedAt) }, 'a file is ready');
};

const marketsOf = async ({ markets }: FileState): Promise<readonly string[] | undefined> =>
  markets === undefined ? undefined : unpackTickers(markets);

const writePending = (
  options: PrepareFilesOptions,
  pendingFile: PendingFile,
  reads: { readonly signal: AbortSignal; readonly stats: () => Promise<FileStats> },
): Promise<WrittenFile> => {
  const { bus } = options;
  const versionsOf: FileStores['versionsOf'] = (tickers) =>
    marketVersions(bus, tickers, { nowUs: pendingFile.requested_us, withStatus: false });
  const startProgress = (rows: number) => publishProgress(bus, pendingFile.key, rows);
  return writeFile({ ...options, versionsOf }, pendingFile, { ...reads, startProgress });
};

/** Another worker finished first, and its object is the file. */
const discard = ({ objects }: PrepareFilesOptions, { storage_key }: StoredFile): Promise<void> =>
  objects.delete(storage_key);

/** Records a file's outcome. */
const append = async (
  options: PrepareFilesOptions,
  { subject, event }: EventMessage<FileState>,
  { command, known, signal }: { command: FileCommand; known?: VersionedState<FileState>; signal: AbortSignal },
): Promise<FileState | undefined> => {
  const id = randomUUID();
  const outcome = await untilRecorded(options, { subject, signal }, (tries) =>
    execute(options.store, fileDecider(event.state.key), {
      subject,
      command,
      id,
      ...(known === undefined || tries > 1 ? {} : { cachedState: known }),
      account: null,
      time: unixMicros(),
      timeoutMs: appendTimeoutMs,
    }),
  );
  return outcome?.state;
};

/** Retries while NATS is unavailable, so that an outage does not lose hours of work. */
const untilRecorded = async <T>(
  { log }: PrepareFilesOptions,
  { subject, signal }: { subject: string; signal: AbortSignal },
  record: (tries: number) => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await record(tries);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DomainError)) throw error;
      log.warn({ err: error, subject, tries }, 'the outcome of a file could not be recorded; retrying');
      await delay(retryMs(tries), undefined, { signal });
    }
  }
};

const everyMs = 1_000;

/** Publishes how many rows of a file are done: at once, then at most once a second. */
const publishProgress = (bus: Bus, key: string, rows: number): ((rowsDone: number) => void) => {
  let publishedMs = -Infinity;
  return (rowsDone) => {
    const nowMs = performance.now();
    if (nowMs - publishedMs < everyMs || bus.nc.isClosed()) return;
    publishedMs = nowMs;
    const progress: FileProgress = { rows_done: Math.min(rowsDone, rows), rows };
    bus.nc.publish(subjects.fileProgress(key), JSON.stringify(progress));
  };
};
