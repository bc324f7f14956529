import { z } from 'zod';
import { grant } from './commerce.js';
import { eventOf } from './events.js';
import { exportQuery } from './exports.js';
import { micros } from './numbers.js';

/** What a finished file is; equal for every export that waits on it. */
export const storedFile = z
  .object({
    storage_key: z.string().meta({ description: 'Key of the file in the object storage' }),
    bytes: z.int().meta({ description: 'Size of the file in bytes' }),
    row_count: z.int().meta({ description: 'Number of rows in the file' }),
    markets: z.int().meta({ description: 'Number of markets in the file' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file in hexadecimal' }),
  })
  .meta({ id: 'FileFacts', description: 'A finished file.' });
export type StoredFile = z.infer<typeof storedFile>;

const id = z.string().meta({ description: 'Id of the export (UUID)' });
const account = z.string().meta({ description: 'Account that owns the export' });
const error = z.string().meta({ description: 'Why the export failed, for people' });
const ready_us = micros.meta({ description: 'Time when the export became ready, in Unix microseconds' });
const requested = {
  question: exportQuery,
  grant: grant.meta({ description: 'What pays for the export' }),
  file_key: z
    .string()
    .meta({ description: 'Key of the file that the export waits for. Exports of the same data have the same key' }),
  filename: z.string().meta({ description: 'Display name of the file' }),
  requested_us: micros.meta({ description: 'Time when the export was created, in Unix microseconds' }),
};
const exportCommon = { id, account, ...requested };

/** An export after its last event. `abandoned` is a reservation's sweep speaking first: no export can follow. */
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
/** An export that was recorded; a reservation's sweep may have spoken first. */
export type RecordedExport = Exclude<ExportState, { status: 'abandoned' }>;

/** EVT_EXPORT: `evt.export.<account>.<id>`; public inside the company, and described in docs/asyncapi.json. */
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

const waiter = z.object({ account: z.string(), export_id: z.string() });

/**
 * A file after its last event: `evt.file.<key>`, the key a hash of the question, the tickers with their data versions
 * and the schema version. Exports that wait are part of the state, so a file that becomes ready knows whom to tell.
 */
export const fileState = z.object({
  key: z.string(),
  status: z.enum(['wanted', 'ready', 'failed']),
  question: exportQuery,
  waiting: z.array(waiter),
  file: storedFile.nullable(),
  /** What a ready file was made of, an `exportManifest` as gzipped JSON in base64; null of files of before there was one. */
  manifest: z.base64().nullable().default(null),
  error: z.string().nullable(),
  requested_us: micros,
});
export type FileState = z.infer<typeof fileState>;

/** How far a file is, on `progress.export-file.<key>`, once a second at most. Not kept: who missed one waits for the next. */
export const fileProgress = z.object({
  rows_done: z.int().min(0),
  /** Rows that the file will have; that of a market being captured may have more. */
  rows: z.int().min(0),
});
export type FileProgress = z.infer<typeof fileProgress>;
