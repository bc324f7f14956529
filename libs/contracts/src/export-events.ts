import { z } from 'zod';
import { grant } from './commerce.js';
import { eventOf } from './events.js';
import { exportQuestion } from './exports.js';
import { micros } from './numbers.js';

/** What a finished file is; equal for every export that waits on it. */
export const fileFacts = z.object({
  storage_key: z.string(),
  bytes: z.int(),
  row_count: z.int(),
  markets: z.int(),
  sha256: z.string(),
});
export type FileFacts = z.infer<typeof fileFacts>;

const exportCommon = {
  id: z.string(),
  account: z.string(),
  question: exportQuestion,
  grant,
  file_key: z.string(),
  filename: z.string(),
  requested_us: micros,
};

/** An export after its last event. `abandoned` is a reservation's sweep speaking first: no export can follow. */
export const exportState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), ...exportCommon }),
  z.object({ status: z.literal('ready'), ...exportCommon, file: fileFacts, ready_us: micros }),
  z.object({ status: z.literal('failed'), ...exportCommon, error: z.string() }),
  z.object({ status: z.literal('cancelled'), ...exportCommon }),
  z.object({ status: z.literal('abandoned'), id: z.string(), account: z.string() }),
]);
export type ExportState = z.infer<typeof exportState>;

/** EVT_EXPORT: `evt.export.<account>.<id>`; public inside the company. */
export const exportEvents = {
  ExportRequested: eventOf(
    'ExportRequested',
    z.object({ question: exportQuestion, grant, file_key: z.string(), filename: z.string(), requested_us: micros }),
    exportState,
  ),
  ExportReady: eventOf('ExportReady', fileFacts.extend({ ready_us: micros }), exportState),
  ExportFailed: eventOf('ExportFailed', z.object({ error: z.string() }), exportState),
  ExportCancelled: eventOf('ExportCancelled', z.object({}), exportState),
  ExportAbandoned: eventOf('ExportAbandoned', z.object({}), exportState),
};

const waiter = z.object({ account: z.string(), export_id: z.string() });

/**
 * A file after its last event: `evt.file.<key>`, the key a hash of the question, the tickers with their data versions
 * and the schema version. Exports that wait are part of the state, so a file that becomes ready knows whom to tell.
 */
export const fileState = z.object({
  key: z.string(),
  status: z.enum(['wanted', 'ready', 'failed']),
  question: exportQuestion,
  waiting: z.array(waiter),
  file: fileFacts.nullable(),
  error: z.string().nullable(),
  requested_us: micros,
});
export type FileState = z.infer<typeof fileState>;

/** EVT_FILE. */
export const fileEvents = {
  FileWanted: eventOf('FileWanted', z.object({ question: exportQuestion, waiter, requested_us: micros }), fileState),
  WaiterAdded: eventOf('WaiterAdded', z.object({ waiter }), fileState),
  FileReady: eventOf('FileReady', fileFacts, fileState),
  FileFailed: eventOf('FileFailed', z.object({ error: z.string() }), fileState),
};
