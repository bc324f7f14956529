import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type ExportResponse, notFound, presentExport } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { isUuid } from '@almanac/runtime';
import { exportDecider } from './export.decider.js';

/**
 * Ends an export that is pending. Its file goes on: others may wait for it, and who asks again finds it made. Commerce
 * hears the event and gives back what the export took.
 *
 * Throws `export_not_found`; `export_ended` for one that is ready or failed, whichever of the two came first.
 */
export const cancelExport = async (
  store: EventStore,
  { account, exportId }: { account: string; exportId: string },
  timeoutMs: number,
): Promise<ExportResponse> => {
  const absent = () => notFound('export_not_found', exportId);
  if (!isUuid(exportId)) throw absent();
  const outcome = await execute(store, exportDecider(account, exportId), {
    subject: subjects.export(account, exportId),
    command: { type: 'cancel' },
    id: randomUUID(),
    account,
    time: Date.now() * 1_000,
    timeoutMs,
  });
  if (outcome === undefined || outcome.state.status === 'abandoned') throw absent();
  return presentExport(outcome.state);
};
