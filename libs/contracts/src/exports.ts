import { z } from 'zod';
import { cursorPage } from './paging.js';

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

const asked = {
  ticker: text.meta({ description: 'The market, where one was asked for', examples: ['KXBTC15M-26FEB242330-30'] }),
  series: text.meta({ description: 'The series', examples: ['KXBTC15M'] }),
  day: text.meta({ description: 'UTC calendar day of a day pack, YYYY-MM-DD', examples: ['2026-02-25'] }),
  event: text.meta({ description: 'The event', examples: ['KXBTC15M-26FEB242330'] }),
  format: formatShown,
  streams: streamsShown,
};

/** What an export asks for, resolved: the thing named and the columns wanted. */
export const exportQuestion = z
  .object({
    event: asked.event,
    ticker: asked.ticker,
    series: asked.series,
    day: asked.day,
    streams: asked.streams,
    format: asked.format,
  })
  .meta({
    id: 'ExportQuestion',
    description:
      'What it asks for. `day`: a day of the `series`; else `ticker`: one market, of `event`; else `event`, all of its markets.',
  });
export type ExportQuestion = z.infer<typeof exportQuestion>;

/** A hole in what was observed of a market, which is no quiet time. */
const exportGap = z
  .object({
    ticker: z.string().meta({ description: 'The market', examples: ['KXBTC15M-26FEB242330-30'] }),
    start_ts: z.number().meta({ description: 'Where it begins, Unix seconds', examples: [1771992900.5] }),
    end_ts: z
      .number()
      .nullable()
      .meta({ description: 'Where it ends, Unix seconds; null while it lasts', examples: [1771992930.5] }),
    reason: z.string().meta({ description: 'What is known of its cause', examples: ['sequence'] }),
  })
  .meta({ id: 'ExportGap', description: 'A time of which nothing was recorded.' });

/** What a file was made of. It stands with the file, not with each export of it: a pack has thousands of markets. */
export const exportManifest = z
  .object({
    query: exportQuestion.meta({ description: 'What was asked, resolved' }),
    schema_version: z.int().meta({ description: 'Version of the columns and their types', examples: [1] }),
    markets: z
      .array(
        z
          .object({
            ticker: z.string().meta({ description: 'The market', examples: ['KXBTC15M-26FEB242330-30'] }),
            data_version: count.meta({ description: 'Counts the changes of its data until then', examples: [12] }),
            rows: count.nullable().meta({ description: 'Its rows; null where they were not counted', examples: [450] }),
          })
          .meta({ id: 'ExportedMarket', description: 'A market of an export.' }),
      )
      .meta({ description: 'Every market that was asked for, by ticker' }),
    row_count: count.meta({ description: 'Rows of the file', examples: [450] }),
    gaps: z.array(exportGap).meta({ description: 'Holes that are known of, by market and time; the first 10,000' }),
    gaps_n: count.default(0).meta({ description: 'All of its holes', examples: [0] }),
  })
  .meta({ id: 'ExportManifest', description: 'What a file was made of: the same on both sides gives the same bytes.' });
export type ExportManifest = z.infer<typeof exportManifest>;

export const exportResponse = z
  .object({
    id: z
      .string()
      .meta({ description: 'Identifier of the export, a UUID', examples: ['48dda3c2-1b8a-4b4e-9e0a-563b09253609'] }),
    status: z
      .enum(['pending', 'ready', 'failed', 'cancelled'])
      .meta({ description: '`pending` until the file is prepared', examples: ['ready'] }),
    ...asked,
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
    rows_done: count.nullable().meta({
      description: 'Rows that are in the file so far, all of them once ready; null where it failed or was cancelled',
      examples: [450],
    }),
    progress: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description: 'Part of the file that is prepared, 0 to 1; null where it failed or was cancelled',
        examples: [1],
      }),
    created_ts: z.number().meta({ description: 'When it was asked for, Unix seconds', examples: [1772064000.25] }),
    ready_ts: z
      .number()
      .nullable()
      .meta({ description: 'When it became ready, Unix seconds; null until then', examples: [1772064001.75] }),
    manifest: exportManifest.nullable().meta({ description: 'What the file was made of; null until ready' }),
  })
  .meta({ id: 'ExportResponse', description: 'A file that was asked for, and how far it is.' });
export type ExportResponse = z.infer<typeof exportResponse>;

/** A row of a list: what tells one export from another, without what is asked for by its id. */
export const exportListItem = exportResponse
  .pick({
    id: true,
    status: true,
    event: true,
    ticker: true,
    series: true,
    day: true,
    format: true,
    streams: true,
    bytes: true,
    row_count: true,
    filename: true,
    created_ts: true,
    ready_ts: true,
    error: true,
  })
  .meta({ id: 'ExportListItem', description: 'An export of a list; `GET /exports/{export_id}` tells all of it.' });

export const exportListResponse = z
  .object({
    count: count.meta({ description: 'Exports in this answer', examples: [1] }),
    exports: z.array(exportListItem).meta({ description: 'Newest first' }),
    ...cursorPage,
  })
  .meta({ id: 'ExportListResponse' });
export type ExportListResponse = z.infer<typeof exportListResponse>;
