import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import type { ExportState, RecordedExport } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { partExportId } from '@almanac/runtime';
import { exportDecider, type Request } from './export.decider.js';

const appendTimeoutMs = 5_000;

/** Every export of a request as it was requested, from the state of the first one. */
export const pendingExportsOf = (first: RecordedExport): Extract<ExportState, { status: 'pending' }>[] => {
  const { id, account } = first;
  const others = othersOf(first).map((request, index) => ({
    id: partExportId(account, id, index + 1),
    ...request,
  }));
  return [{ id, ...requestOf(first) }, ...others].map((one) => ({ status: 'pending', account, ...one }));
};

/** Records the other exports that the first export of a request names. A repetition changes nothing. */
export const recordOtherExports = async (store: EventStore, first: ExportState): Promise<void> => {
  if (first.status === 'abandoned') return;
  const { account, requested_us } = first;
  for (const [index, request] of othersOf(first).entries()) {
    const id = partExportId(account, first.id, index + 1);
    await execute(store, exportDecider(account, id), {
      subject: subjects.export(account, id),
      command: { type: 'request', request },
      id: randomUUID(),
      account,
      time: requested_us,
      timeoutMs: appendTimeoutMs,
    });
  }
};

const othersOf = (first: RecordedExport): Request[] => {
  const { group, query, requested_us, remarks } = first;
  return (group?.others ?? []).map(({ day, grant, file_key, filename, markets }, index) => ({
    query: { ...query, day },
    grant,
    file_key,
    filename,
    requested_us,
    remarks,
    ...(markets === undefined ? {} : { markets }),
    ...(group === undefined ? {} : { group: { ...group, part: index + 1, others: [] } }),
  }));
};

const requestOf = (recorded: RecordedExport): Request => {
  const { query, grant, file_key, filename, requested_us, remarks, group, markets, dataset } = recorded;
  return { query, grant, file_key, filename, requested_us, remarks, group, markets, dataset };
};
