import { z } from 'zod';
import { grant, paymentOptions } from './commerce.js';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { money } from './plans.js';
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

const formatShown = exportFormatId.meta({ description: 'Format of the file', examples: ['csv'] });

const exportFormat = z
  .object({
    id: formatShown,
    label: z.string().meta({ description: 'Its name for a person', examples: ['CSV'] }),
    opens_in: z.string().meta({ description: 'What reads it', examples: ['Excel, pandas, R and DuckDB'] }),
  })
  .meta({ id: 'ExportFormat' });
export const exportFormatsResponse = z
  .object({ formats: z.array(exportFormat).meta({ description: 'Every format' }) })
  .meta({ id: 'ExportFormatsResponse' });

const target = z.string().nullish();
const streamsShown = z.array(exportStream).meta({
  description:
    'What is in the file: `snapshots`, sampled top of the book; `settlement`, how the market ended; `l2`, full books',
  examples: [['snapshots', 'settlement']],
});

/** Body of POST /exports as a client sends it; `null` and `""` of a target mean not given. */
export const exportCreateRequest = z
  .object({
    event: target.meta({
      description: 'Ticker of an event: all of its markets. The best way to ask',
      examples: ['KXBTC15M-26FEB242330'],
    }),
    ticker: target.meta({ description: 'Ticker of one market; billed as its event' }),
    series: target.meta({ description: 'Identifier of a series, for a day pack; goes with `day`' }),
    day: z.iso.date().nullish().meta({ description: 'UTC calendar day of a day pack, YYYY-MM-DD; goes with `series`' }),
    streams: streamsShown.min(1).default(['snapshots', 'settlement']),
    format: formatShown.default('csv'),
  })
  .meta({
    id: 'ExportCreateRequest',
    description: 'Exactly one target: `event`, `ticker`, or `series` with `day`. Null and `""` mean not given.',
    examples: [{ event: 'KXBTC15M-26FEB242330', streams: ['snapshots', 'settlement'], format: 'csv' }],
  });

const text = z.string().nullable();
const count = z.int().min(0);

export const exportResponse = z
  .object({
    id: z
      .string()
      .meta({ description: 'Identifier of the export, a UUID', examples: ['48dda3c2-1b8a-4b4e-9e0a-563b09253609'] }),
    status: z
      .enum(['pending', 'ready', 'failed', 'cancelled'])
      .meta({ description: '`pending` until the file is prepared', examples: ['ready'] }),
    ticker: text.meta({ description: 'The market, where one was asked for', examples: ['KXBTC15M-26FEB242330-30'] }),
    series: text.meta({ description: 'The series', examples: ['KXBTC15M'] }),
    day: text.meta({ description: 'UTC calendar day of a day pack, YYYY-MM-DD', examples: ['2026-02-25'] }),
    event: text.meta({ description: 'The event', examples: ['KXBTC15M-26FEB242330'] }),
    format: formatShown,
    streams: streamsShown,
    grant: text.meta({ description: 'What covers it: `unlock`, `plan` or `free_credit`', examples: ['plan'] }),
    bytes: count.meta({ description: 'Size of the file in bytes; 0 until ready', examples: [90103], default: 0 }),
    row_count: count.nullable().meta({ description: 'Rows of the file; null until ready', examples: [450] }),
    markets: count.nullable().meta({ description: 'Markets in the file; null until ready', examples: [1] }),
    filename: text.meta({
      description: 'Name of the file',
      examples: ['KXBTC15M-26FEB242330_snapshots-settlement.csv'],
    }),
    storage_key: text.meta({ description: 'Key of the file in the object store; null until ready' }),
    download_url: text.meta({ description: 'Signed link that needs no key and lives shortly; null until ready' }),
    expires_in_s: count.meta({ description: 'Seconds that the link still lives', examples: [900], default: 0 }),
    content_type: text.meta({ description: 'Media type of the file', examples: ['text/csv'] }),
    error: text.meta({ description: 'Why it failed; null unless it did' }),
    sha256: text.meta({ description: 'SHA-256 of the file, hex; null until ready' }),
  })
  .meta({ id: 'ExportResponse', description: 'A file that was asked for, and how far it is.' });
export type ExportResponse = z.infer<typeof exportResponse>;

/** The statuses that a quote names: those that the request itself would be refused with. */
export const quotedStatuses = { payment_required: 402, export_daily_limit: 429, export_pending_limit: 429 } as const;

/** What POST /exports would do: the answer of `dry_run=true`. */
export const exportQuote = z
  .object({
    dry_run: z.literal(true).meta({ description: 'Nothing was reserved, and nothing is prepared', examples: [true] }),
    grant: grant
      .nullable()
      .meta({ description: 'What would cover it; null where it would be refused', examples: ['plan'] }),
    cost: money.nullable().meta({
      description: 'What is still to be paid for it, by the event; null where it is sold with a plan alone',
    }),
    options: paymentOptions.meta({ description: 'What would cover it, any one of these; empty where it is covered' }),
    would: z
      .object({
        status: z.union([z.literal(402), z.literal(429)]).meta({ description: 'The HTTP status', examples: [402] }),
        code: z
          .enum(['payment_required', 'export_daily_limit', 'export_pending_limit'])
          .meta({ description: 'The code of the error', examples: ['payment_required'] }),
        detail: text.unwrap().meta({ description: 'A sentence for a person' }),
        options: paymentOptions,
        retry_after_s: count
          .nullable()
          .meta({ description: 'Seconds until it is worth asking again; null where waiting does not help' }),
      })
      .nullable()
      .meta({ description: 'How it would be refused now; null where it would be granted' }),
    row_count: count.meta({ description: 'Rows of the file, counted', examples: [450] }),
    bytes_estimate: count.meta({
      description: 'About the size of the file in bytes, from its first rows; exact where the file exists already',
      examples: [90103],
    }),
    markets: count.meta({ description: 'Markets in the file', examples: [1] }),
  })
  .meta({ id: 'ExportQuote', description: 'What an export would be granted or cost, and how large it would be.' });
export type ExportQuote = z.infer<typeof exportQuote>;

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

const askErrors = [
  'missing_target',
  'ambiguous_target',
  'event_not_found',
  'market_not_found',
  'series_not_found',
  'no_data_for_day',
] as const;

export const exportRpc = {
  create: contract({
    service: 'export',
    method: 'create',
    kind: 'command',
    input: exportCreateRequest.extend({ idempotency_key: z.string().nullish() }),
    output: exportResponse,
    errors: [
      ...askErrors,
      'idempotency_conflict',
      'payment_required',
      'export_daily_limit',
      'export_pending_limit',
      'conflict',
    ],
    timeoutMs: 10_000,
  }),
  /** What `create` would do; reserves, records and prepares nothing. */
  quote: contract({
    service: 'export',
    method: 'quote',
    kind: 'query',
    input: exportCreateRequest,
    output: exportQuote,
    errors: askErrors,
    timeoutMs: 20_000,
  }),
  /** A signed link to a ready export of the caller: `public` for a client, else for the gateway to pipe. */
  link: contract({
    service: 'export',
    method: 'link',
    kind: 'query',
    input: z.object({ export_id: exportResponse.shape.id, public: z.boolean() }),
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
