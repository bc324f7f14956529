import { z } from 'zod';
import { grant } from './commerce.js';
import { eventOf } from './events.js';
import { exportQuestion } from './exports.js';
import { micros } from './numbers.js';

/** What a finished file is; equal for every export that waits on it. */
export const fileFacts = z
  .object({
    storage_key: z.string().meta({ description: 'Key of the file in the object store' }),
    bytes: z.int().meta({ description: 'Its size' }),
    row_count: z.int().meta({ description: 'Its rows' }),
    markets: z.int().meta({ description: 'Markets in it' }),
    sha256: z.string().meta({ description: 'SHA-256 of it, hex' }),
  })
  .meta({ id: 'FileFacts', description: 'What a finished file is.' });
export type FileFacts = z.infer<typeof fileFacts>;

const id = z.string().meta({ description: 'Identifier of the export, a UUID' });
const account = z.string().meta({ description: 'Whose it is' });
const error = z.string().meta({ description: 'Why, a sentence for a person' });
const ready_us = micros.meta({ description: 'When it was ready, microseconds since the epoch' });
const requested = {
  question: exportQuestion,
  grant: grant.meta({ description: 'What covers it' }),
  file_key: z.string().meta({ description: 'The file it waits for; equal for all who ask the same of the same data' }),
  filename: z.string().meta({ description: 'Name of the file for a person' }),
  requested_us: micros.meta({ description: 'When it was asked for, microseconds since the epoch' }),
};
const exportCommon = { id, account, ...requested };

/** An export after its last event. `abandoned` is a reservation's sweep speaking first: no export can follow. */
export const exportState = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('pending'), ...exportCommon }),
    z.object({ status: z.literal('ready'), ...exportCommon, file: fileFacts, ready_us }),
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
    description: 'Somebody asked for a file, and something covers it: it will be prepared.',
  }),
  ExportReady: eventOf('ExportReady', fileFacts.extend({ ready_us }), exportState).meta({
    description:
      'The file can be downloaded. Comes again for one that is ready where its file was lost and prepared anew: only `file` differs.',
  }),
  ExportFailed: eventOf('ExportFailed', z.object({ error }), exportState).meta({
    description: 'The file could not be prepared; what covered it is given back.',
  }),
  ExportCancelled: eventOf('ExportCancelled', z.object({}), exportState).meta({
    description: 'Its owner wants it no more; what covered it is given back.',
  }),
  ExportAbandoned: eventOf('ExportAbandoned', z.object({}), exportState).meta({
    description: 'It was covered and then never recorded; what covered it was given back, and no export can follow.',
  }),
};
export type ExportEvent = z.infer<(typeof exportEvents)[keyof typeof exportEvents]>;

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
