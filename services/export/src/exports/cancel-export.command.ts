import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type ExportResponse, notFound, presentExport } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { isUuid, unixMicros } from '@almanac/runtime';
import { exportDecider } from './export.decider.js';

/**
 * Cancels a pending export. The file is still prepared, because other exports may need it. Commerce follows the event
 * and releases the reservation. Throws `export_not_found`, or `export_ended` if the export ended first.
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
    time: unixMicros(),
    timeoutMs,
  });
  if (outcome === undefined || outcome.state.status === 'abandoned') throw absent();
  return presentExport(outcome.state);
};
