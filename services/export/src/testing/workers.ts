import { randomUUID } from 'node:crypto';
import { ensureDeadLetters, ensureStream, type Running, subjects } from '@almanac/bus';
import { type EventStore, execute, jetStreamStore } from '@almanac/event-store';
import { completeExports } from '../exports/complete-exports.reactor.js';
import { exportDecider } from '../exports/export.decider.js';
import { requestFiles } from '../exports/request-files.reactor.js';
import { prepareFiles, type PrepareFilesOptions } from '../files/prepare-files.reactor.js';
import { log, metrics } from './fixture.js';
import { type ExportHarness, startHarness } from './harness.js';
import { queryOf } from './queries.js';

/** An envelope of a command that a test stores instead of the service. */
export const envelope = (subject: string, account: string | null = null) => ({
  subject,
  id: randomUUID(),
  account,
  time: 1,
  timeoutMs: 60_000,
});

/** Records an export while no part of the service runs, and returns its id. */
export const recordExport = async (
  store: EventStore,
  { account, event, id = randomUUID(), file_key = randomUUID() }: Record<'account' | 'event', string> & ExportIds,
): Promise<string> => {
  const query = queryOf({ event, series: 'KXTEST' });
  await execute(store, exportDecider(account, id), {
    ...envelope(subjects.export(account, id), account),
    command: { type: 'request', request: { query, grant: 'plan', file_key, filename: 'x.csv', requested_us: 1 } },
  });
  return id;
};

export interface ExportIds {
  readonly id?: string;
  readonly file_key?: string;
}

/** A harness whose service does not run: a test starts the parts that it needs. */
export interface WorkersHarness extends ExportHarness {
  readonly store: EventStore;
  prepare(changes?: Partial<PrepareFilesOptions>): Promise<void>;
  complete(): Promise<void>;
  requestFiles(): Promise<void>;
  /** All three parts. */
  work(changes?: Partial<PrepareFilesOptions>): Promise<void>;
  /** Stops the parts that run. */
  stopParts(): Promise<void>;
}

export const startWorkersHarness = async (): Promise<WorkersHarness> => {
  const harness = await startHarness();
  const { own: bus, fixture } = harness;
  await ensureDeadLetters(bus);
  await ensureStream(bus, 'EVT_EXPORT');
  await ensureStream(bus, 'EVT_FILE');
  const store = jetStreamStore(bus);
  const running: Running[] = [];
  const limits = { concurrency: 2, largeFromRows: 500_000, attempts: 10 };
  const options = { bus, store, log, metrics, clickhouse: fixture.clickhouse, objects: fixture.objects, ...limits };
  const parts = {
    prepare: async (changes: Partial<PrepareFilesOptions> = {}) =>
      void running.push(await prepareFiles({ ...options, ...changes })),
    complete: async () => void running.push(await completeExports(bus, store, log)),
    requestFiles: async () => void running.push(await requestFiles(bus, store, log)),
  };
  return {
    ...harness,
    ...parts,
    store,
    work: async (changes) => {
      await parts.prepare(changes);
      await parts.complete();
      await parts.requestFiles();
    },
    stopParts: async () => {
      for (const part of running.splice(0)) await part.stop();
    },
  };
};
