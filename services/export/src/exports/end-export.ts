import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type EventStore, execute } from '@almanac/event-store';
import type { Waiter } from '../files/file.decider.js';
import { type ExportCommand, exportDecider } from './export.decider.js';

const appendTimeoutMs = 5_000;

/** Ends an export with what became of its file; one that has ended already stays as it is. */
export const endExport = async (
  store: EventStore,
  { account, export_id }: Waiter,
  command: Exclude<ExportCommand, { type: 'request' }>,
): Promise<void> => {
  await execute(store, exportDecider(account, export_id), {
    subject: subjects.export(account, export_id),
    command,
    id: randomUUID(),
    account,
    time: Date.now() * 1_000,
    timeoutMs: appendTimeoutMs,
  });
};
