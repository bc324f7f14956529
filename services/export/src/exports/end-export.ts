import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import type { FileWaiter } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { unixMicros } from '@almanac/runtime';
import { type ExportCommand, exportDecider } from './export.decider.js';

const appendTimeoutMs = 5_000;

export type FileEnd = Extract<ExportCommand, { type: 'complete' | 'fail' }>;

/** Completes or fails an export. Does nothing if it has already ended. */
export const endExport = async (
  store: EventStore,
  { account, export_id }: FileWaiter,
  command: FileEnd,
): Promise<void> => {
  await execute(store, exportDecider(account, export_id), {
    subject: subjects.export(account, export_id),
    command,
    id: randomUUID(),
    account,
    time: unixMicros(),
    timeoutMs: appendTimeoutMs,
  });
};
