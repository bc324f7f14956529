import { z } from 'zod';
import { grant } from './commerce.js';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { contract } from './rpc.js';

export const exportFormatIds = ['csv', 'parquet', 'json', 'jsonl.gz'] as const;
export const exportFormatId = z.enum(exportFormatIds);
export type ExportFormatId = z.infer<typeof exportFormatId>;
export const exportStreams = ['snapshots', 'settlement', 'l2'] as const;
export const exportStream = z.enum(exportStreams);
export type ExportStream = z.infer<typeof exportStream>;

/** What each format is called, what opens it, its content type and file extension. */
export const exportFormats: Readonly<Record<ExportFormatId, { label: string; opens_in: string; contentType: string }>> =
  {
    csv: { label: 'CSV', opens_in: 'Excel, pandas, R, DuckDB and any text editor', contentType: 'text/csv' },
    parquet: {
      label: 'Parquet',
      opens_in: 'pandas, Polars, DuckDB, Spark and ClickHouse',
      contentType: 'application/vnd.apache.parquet',
    },
    json: { label: 'JSON', opens_in: 'any language, as one array', contentType: 'application/json' },
    'jsonl.gz': {
      label: 'JSON lines, gzipped',
      opens_in: 'pandas, DuckDB, jq and any language, a row at a time',
      contentType: 'application/gzip',
    },
  };

export const exportFormatsResponse = z.object({
  formats: z.array(z.object({ id: exportFormatId, label: z.string(), opens_in: z.string() })),
});

/** Body of POST /exports as a client sends it; `null` and `""` of a target mean not given. */
export const exportCreateRequest = z.object({
  event: z.string().nullish(),
  ticker: z.string().nullish(),
  series: z.string().nullish(),
  day: z.string().nullish(),
  streams: z.array(exportStream).min(1).default(['snapshots', 'settlement']),
  format: exportFormatId.default('csv'),
});

export const exportResponse = z.object({
  id: z.string(),
  status: z.enum(['pending', 'ready', 'failed', 'cancelled']),
  ticker: z.string().nullable(),
  series: z.string().nullable(),
  day: z.string().nullable(),
  event: z.string().nullable(),
  format: exportFormatId,
  streams: z.array(exportStream),
  grant: z.string().nullable(),
  bytes: z.int(),
  row_count: z.int().nullable(),
  markets: z.int().nullable(),
  filename: z.string().nullable(),
  storage_key: z.string().nullable(),
  download_url: z.string().nullable(),
  expires_in_s: z.int(),
  content_type: z.string().nullable(),
  error: z.string().nullable(),
  sha256: z.string().nullable(),
});
export type ExportResponse = z.infer<typeof exportResponse>;

/** What an export asks for, resolved: the thing named and the columns wanted. */
export const exportQuestion = z.object({
  event: z.string().nullable(),
  ticker: z.string().nullable(),
  series: z.string().nullable(),
  day: z.string().nullable(),
  streams: z.array(exportStream),
  format: exportFormatId,
});
export type ExportQuestion = z.infer<typeof exportQuestion>;

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

const link = z.object({ url: z.string(), expires_us: micros });

export const exportRpc = {
  create: contract({
    service: 'export',
    method: 'create',
    kind: 'command',
    input: exportCreateRequest.extend({ idempotency_key: z.string().nullish() }),
    output: exportResponse,
    errors: [
      'missing_target',
      'ambiguous_target',
      'event_not_found',
      'market_not_found',
      'series_not_found',
      'no_data_for_day',
      'idempotency_conflict',
      'payment_required',
      'export_daily_limit',
      'export_pending_limit',
      'conflict',
    ],
    timeoutMs: 10_000,
  }),
  /** A signed link to a ready export of the caller: `public` for a client, else for the gateway to pipe. */
  link: contract({
    service: 'export',
    method: 'link',
    kind: 'query',
    input: z.object({ export_id: z.string(), public: z.boolean() }),
    output: link,
    errors: ['export_not_found', 'export_preparing', 'export_failed', 'export_cancelled'],
    timeoutMs: 5_000,
  }),
};

/** The export as the API shows it; the link is added by whoever may sign one. */
export const presentExport = (
  state: Exclude<ExportState, { status: 'abandoned' }>,
  download: { url: string; expiresInS: number } | null,
): ExportResponse => ({
  id: state.id,
  status: state.status,
  ...state.question,
  grant: state.grant,
  bytes: state.status === 'ready' ? state.file.bytes : 0,
  row_count: state.status === 'ready' ? state.file.row_count : null,
  markets: state.status === 'ready' ? state.file.markets : null,
  filename: state.filename,
  storage_key: state.status === 'ready' ? state.file.storage_key : null,
  download_url: download?.url ?? null,
  expires_in_s: download?.expiresInS ?? 0,
  content_type: exportFormats[state.question.format].contentType,
  error: state.status === 'failed' ? state.error : null,
  sha256: state.status === 'ready' ? state.file.sha256 : null,
});
