import { z } from 'zod';
import { grant } from '../commerce/commerce.js';
import { eventOf, eventTypesOf } from '../events/events.js';
import { exportQuery } from './exports.js';
import { micros } from '../requests/numbers.js';

/** A finished file. All exports that wait for it get the same one. */
const storedFile = z
  .object({
    storage_key: z.string().meta({ description: 'Key of the file in the object storage' }),
    bytes: z.int().meta({ description: 'Size of the file in bytes' }),
    row_count: z.int().meta({ description: 'Number of rows in the file' }),
    markets: z.int().meta({ description: 'Number of markets in the file' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file in hexadecimal' }),
  })
  .meta({ id: 'StoredFile', description: 'A finished file.' });
export type StoredFile = z.infer<typeof storedFile>;

const id = z.string().meta({ description: 'Id of the export (UUID)' });
const account = z.string().meta({ description: 'Account that owns the export' });
const error = z.string().meta({ description: 'Why the export failed, for people' });
const ready_us = micros.meta({ description: 'Time when the export became ready, in Unix microseconds' });
const markets = z.string().optional().meta({
  description:
    'Tickers of the markets that a day or a range of days had at the request, as a JSON array in gzip and base64. What pays for the export covers these markets. Absent for other targets and for exports of older releases',
});
/** The other exports of a request are created from its first one, so that all of them or none exist. */
const exportGroupRef = z
  .object({
    id: z.string().meta({ description: 'Id of the request, which is the id of its first export' }),
    part: z.int().meta({ description: 'Number of this export in the request, from 0' }),
    from: z.string().meta({ description: 'First UTC day of the request, as YYYY-MM-DD' }),
    to: z.string().meta({ description: 'Last UTC day of the request, as YYYY-MM-DD' }),
    others: z
      .array(
        z.object({
          day: z.string().meta({ description: 'UTC day, as YYYY-MM-DD' }),
          grant,
          file_key: z.string(),
          filename: z.string(),
          markets,
        }),
      )
      .meta({ description: 'The other exports of the request, only in its first one' }),
  })
  .meta({
    id: 'ExportGroupRef',
    description: 'The request that created this export and others. Absent for a single export.',
  });

/** An export of a dataset has the bytes of the dataset, or it fails. */
const exportedDataset = z
  .object({
    id: z.string().meta({ description: 'Id of the dataset' }),
    sha256: z.string().meta({ description: 'SHA-256 that the file must have, in hexadecimal' }),
    requested_us: micros.meta({
      description: 'Time that decides which markets the file shows as live, in Unix microseconds',
    }),
  })
  .meta({ id: 'ExportedDataset', description: 'The dataset that the export makes again. Absent for other exports.' });
export type ExportedDataset = z.infer<typeof exportedDataset>;

const requested = {
  query: exportQuery,
  grant: grant.meta({ description: 'What pays for the export' }),
  file_key: z
    .string()
    .meta({ description: 'Key of the file that the export waits for. Exports of the same data have the same key' }),
  filename: z.string().meta({ description: 'Display name of the file' }),
  requested_us: micros.meta({ description: 'Time when the export was created, in Unix microseconds' }),
  remarks: z
    .array(z.string())
    .optional()
    .meta({ description: 'What the request did that its account may not expect, for people' }),
  group: exportGroupRef.optional(),
  markets,
  dataset: exportedDataset.optional(),
};
const exportCommon = { id, account, ...requested };

/** The state of an export. `abandoned`: the sweep of reservations gave up first, so no export can follow. */
export const exportState = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('pending'), ...exportCommon }),
    z.object({ status: z.literal('ready'), ...exportCommon, file: storedFile, ready_us }),
    z.object({ status: z.literal('failed'), ...exportCommon, error }),
    z.object({ status: z.literal('cancelled'), ...exportCommon }),
    z.object({ status: z.literal('abandoned'), id, account }),
  ])
  .meta({ id: 'ExportState', description: 'The export after the event.' });
export type ExportState = z.infer<typeof exportState>;
/** An export that was created. Excludes ids that the sweep of reservations abandoned first. */
export type RecordedExport = Exclude<ExportState, { status: 'abandoned' }>;

/** EVT_EXPORT: `evt.export.<account>.<id>`. Public inside the company, described in docs/asyncapi.json. */
export const exportEvents = {
  ExportRequested: eventOf('ExportRequested', z.object(requested), exportState).meta({
    description: 'An account created an export that is paid for. The file will be prepared.',
  }),
  ExportReady: eventOf('ExportReady', storedFile.extend({ ready_us }), exportState).meta({
    description:
      'The file can be downloaded. The event repeats if a lost file was prepared again. Then only `file` differs.',
  }),
  ExportFailed: eventOf('ExportFailed', z.object({ error }), exportState).meta({
    description: 'The file could not be prepared. The account gets back what the export used.',
  }),
  ExportCancelled: eventOf('ExportCancelled', z.object({}), exportState).meta({
    description: 'The account cancelled the export and gets back what it used.',
  }),
  ExportAbandoned: eventOf('ExportAbandoned', z.object({}), exportState).meta({
    description:
      'The request was paid for but no export was recorded. The account got back what it used. No other event follows.',
  }),
};
export type StoredExportEvent = z.infer<(typeof exportEvents)[keyof typeof exportEvents]>;

/** An export that waits for a file: the state of `evt.file.<key>.<export id>`. */
export const fileWaiter = z.object({ account: z.string(), export_id: z.string() });
eventTypesOf(fileWaiter, ['WaiterAdded']);
export type FileWaiter = z.infer<typeof fileWaiter>;

/**
 * The state of a file: `evt.file.<key>`, where the key is a hash of the export query, the tickers with their data
 * versions and the schema version. The exports that wait for it, except the one that requested it, have subjects of their
 * own, so the state does not grow.
 */
export const fileState = z.object({
  key: z.string(),
  status: z.enum(['requested', 'ready', 'failed']),
  query: exportQuery,
  markets,
  /** The export that requested the file. Older releases listed every waiting export, or none. */
  waiting: z.array(fileWaiter).default([]),
  file: storedFile.nullable(),
  /** The file's content: an `exportManifest` as gzipped JSON in base64. Null for older files. */
  manifest: z.base64().nullable().default(null),
  error: z.string().nullable(),
  requested_us: micros,
});
eventTypesOf(fileState, ['FileRequested', 'FileReady', 'FileMissing', 'FileFailed']);
export type FileState = z.infer<typeof fileState>;

/** The last use of a file, to the day: the state of `evt.file.used.<key>`. Recorded if unused files are removed. */
export const fileUse = z.object({ key: z.string(), used_us: micros });
eventTypesOf(fileUse, ['FileUsed']);
export type FileUse = z.infer<typeof fileUse>;

/**
 * The state of `evt.file.sweep.<sweep>`: all events up to `seq` were swept. Until `until_us` only the process `holder`
 * may sweep.
 */
export const fileSweep = z.object({ seq: z.int(), holder: z.string().nullable(), until_us: micros });
eventTypesOf(fileSweep, ['SweepAdvanced']);
export type FileSweep = z.infer<typeof fileSweep>;

/** On `progress.export-file.<key>`, at most once a second. Not stored: the next message replaces a missed one. */
export const fileProgress = z.object({
  rows_done: z.int().min(0),
  /** Expected rows of the file. A market that is being captured may get more. */
  rows: z.int().min(0),
});
export type FileProgress = z.infer<typeof fileProgress>;
