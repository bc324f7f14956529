import { z } from 'zod';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { citation } from './citation.js';
import { missingData } from '../timeseries/coverage.js';
import { exportStream, formatShown } from './export-formats.js';
import { exportedDays, rangeFields, requestedRange } from './export-ranges.js';
import { numberType } from '../requests/numbers.js';
import { cursorPage } from '../requests/paging.js';

const target = z.string().nullish();
const streamsShown = z.array(exportStream).meta({
  description:
    'Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and `candles` are those of the venue, as it states them',
  examples: [['snapshots', 'settlement']],
});

const numbersShown = numberType.meta({
  description:
    'Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with',
  examples: ['decimal'],
});

const csvFormulas = z.enum(['keep', 'escape']).meta({
  description:
    'How CSV has texts that a spreadsheet would run as formulas, such as a ticker that begins with `=`. `keep` writes them unchanged. `escape` puts an apostrophe before a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. Numbers and other formats never change',
  examples: ['keep'],
});

/** Body of POST /exports as a client sends it. `null` and `""` in a target mean absent. */
export const exportCreateRequest = z
  .object({
    event: target.meta({
      description: 'Ticker of an event. Exports all of its markets. Preferred',
      examples: ['KXBTC15M-26FEB242330'],
    }),
    ticker: target.meta({ description: 'Ticker of a market. Billed as the event of the market' }),
    series: target.meta({ description: 'Id of a series, for a day pack. Requires `day`' }),
    day: z.iso.date().nullish().meta({
      description:
        'UTC calendar day of a day pack, as YYYY-MM-DD. Requires `series`. A row belongs to the pack of the UTC day of its `ts`, a candle to that of its `start_ts`. The only row of a market without any belongs to the last day on which the market was open',
    }),
    streams: streamsShown.min(1).default(['snapshots', 'settlement']),
    format: formatShown.default('csv'),
    ...requestedRange,
    numbers: numbersShown,
    csv_formulas: csvFormulas.default('keep'),
    dataset: target.meta({
      description:
        'Id of a dataset, of any account. Makes its file again with the same bytes. Send it alone: a dataset has its own target, streams and format',
      examples: ['ds-9f86d081884c7d659a2feaa0c55ad015'],
    }),
    use_free_credit: z.boolean().default(true).meta({
      description:
        'Whether a free export credit may pay for what neither an unlock nor your plan covers. With `false`, the answer is then 402, and no credit is spent',
    }),
    as_of: asOf.meta({
      description:
        'Export the archive as it was known at this time, in Unix seconds: the markets that were listed by then, the rows received and the values known by then. With `dataset`, only a dataset as of this time or earlier exists. It may not be in the future',
      examples: [1771993500],
    }),
  })
  .meta({
    id: 'ExportCreateRequest',
    description:
      'Send exactly one target: `event`, `ticker`, `events`, `tickers`, `series` with `day`, `series` with `from` and `to`, or `dataset`. Null and `""` mean that a field is not set.',
    examples: [{ event: 'KXBTC15M-26FEB242330', streams: ['snapshots', 'settlement'], format: 'csv' }],
  });

const text = z.string().nullable();
const count = z.int().min(0);

const targetFields = {
  ticker: text.meta({
    description: 'Ticker of the market, if the export is for one market',
    examples: ['KXBTC15M-26FEB242330-30'],
  }),
  series: text.meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
  day: text.meta({ description: 'UTC calendar day of a day pack, as YYYY-MM-DD', examples: ['2026-02-25'] }),
  event: text.meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
  format: formatShown,
  streams: streamsShown,
  numbers: numbersShown,
};

export const exportQuery = z
  .object({
    event: targetFields.event,
    ticker: targetFields.ticker,
    series: targetFields.series,
    day: targetFields.day,
    streams: targetFields.streams,
    format: targetFields.format,
    from: rangeFields.from.optional(),
    to: rangeFields.to.optional(),
    events: rangeFields.events.optional(),
    tickers: rangeFields.tickers.optional(),
    numbers: targetFields.numbers,
    /** Only a CSV file with escaped formulas has it. Other files keep their keys and bytes. */
    csv_formulas: z
      .literal('escape')
      .optional()
      .meta({ description: 'Present if texts that a spreadsheet would run as formulas begin with an apostrophe' }),
    as_of: z
      .number()
      .optional()
      .meta({ description: 'Present if the file has the archive as it was known at this time, in Unix seconds' }),
  })
  .meta({
    id: 'ExportQuery',
    description:
      'Target and options of an export. With `day`, the target is one day of `series`, and with `from` and `to` a range of days. With `events` or `tickers`, it is a list. With `ticker`, it is one market of `event`. Otherwise it is all markets of `event`.',
  });
export type ExportQuery = z.infer<typeof exportQuery>;

/** A time without observations of a market because messages were missed, as opposed to a quiet time. */
const exportGap = z
  .object({
    ticker: z.string().meta({ description: 'Ticker of the market', examples: ['KXBTC15M-26FEB242330-30'] }),
    start_ts: z.number().meta({ description: 'Start of the gap, in Unix seconds', examples: [1771992900.5] }),
    end_ts: z
      .number()
      .nullable()
      .meta({
        description: 'End of the gap, in Unix seconds. Null if the gap has not ended',
        examples: [1771992930.5],
      }),
    reason: z.string().meta({ description: 'Reason for the gap', examples: ['messages are missing in the sequence'] }),
    missing: missingData
      .default('all')
      .meta({ description: '`all` if nothing is known, `books` if prices are known', examples: ['all'] }),
  })
  .meta({ id: 'ExportGap', description: 'A period without recorded data.' });

/** The content of a file. Stored with the file and not with each export: a pack has thousands of markets. */
export const exportManifest = z
  .object({
    query: exportQuery.meta({ description: 'Target and options of the export, after resolving the target' }),
    schema_version: z.int().meta({ description: 'Version of the columns and types', examples: [1] }),
    markets: z
      .array(
        z
          .object({
            ticker: z.string().meta({ description: 'Ticker of the market', examples: ['KXBTC15M-26FEB242330-30'] }),
            data_version: count.nullable().meta({
              description:
                'Version of the market data in the file. Increases with each change. Null with `as_of`, because it counts later changes too',
              examples: [12],
            }),
            rows: count
              .nullable()
              .meta({ description: 'Number of rows of the market. Null if they were not counted', examples: [450] }),
          })
          .meta({ id: 'ExportedMarket', description: 'A market in an export.' }),
      )
      .meta({ description: 'All markets of the export, by ticker' }),
    row_count: count.meta({ description: 'Number of rows in the file', examples: [450] }),
    days: exportedDays,
    gaps: z
      .array(exportGap)
      .meta({ description: 'Known gaps in the data, by market and time. At most the first 10,000' }),
    gaps_n: count.default(0).meta({ description: 'Total number of gaps', examples: [0] }),
  })
  .meta({
    id: 'ExportManifest',
    description: 'Exact contents of a file. Two files with the same manifest have the same bytes.',
  });
export type ExportManifest = z.infer<typeof exportManifest>;

export const exportResponse = z
  .object({
    id: z.string().meta({ description: 'Id of the export (UUID)', examples: ['48dda3c2-1b8a-4b4e-9e0a-563b09253609'] }),
    status: z
      .enum(['pending', 'ready', 'failed', 'cancelled'])
      .meta({ description: 'Status of the export. `pending` until the file is ready', examples: ['ready'] }),
    ...targetFields,
    grant: text.meta({
      description: 'What pays for the export: `unlock`, `plan` or `free_credit`',
      examples: ['plan'],
    }),
    bytes: count.meta({
      description: 'Size of the file in bytes. 0 until the export is ready',
      examples: [90103],
      default: 0,
    }),
    row_count: count
      .nullable()
      .meta({ description: 'Number of rows in the file. Null until the export is ready', examples: [450] }),
    markets: count
      .nullable()
      .meta({ description: 'Number of markets in the file. Null until the export is ready', examples: [1] }),
    filename: text.meta({
      description: 'File name',
      examples: ['KXBTC15M-26FEB242330_snapshots-settlement.csv'],
    }),
    storage_key: text.meta({ description: 'Key of the file in the object storage. Null until the export is ready' }),
    download_url: text.meta({
      description: 'Short-lived signed URL of the file. It needs no API key. Null until the export is ready',
    }),
    expires_in_s: count.meta({ description: 'Seconds until `download_url` expires', examples: [900], default: 0 }),
    content_type: text.meta({ description: 'Media type of the file', examples: ['text/csv'] }),
    error: text.meta({ description: 'Why the export failed. Null if it did not fail' }),
    sha256: text.meta({ description: 'SHA-256 of the file in hexadecimal. Null until the export is ready' }),
    rows_done: count.nullable().meta({
      description: 'Number of rows written so far. Null if the export failed or was cancelled',
      examples: [450],
    }),
    progress: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description: 'Share of the file that is prepared, from 0 to 1. Null if the export failed or was cancelled',
        examples: [1],
      }),
    created_ts: z
      .number()
      .meta({ description: 'Time when the export was created, in Unix seconds', examples: [1772064000.25] }),
    ready_ts: z
      .number()
      .nullable()
      .meta({
        description: 'Time when the export became ready, in Unix seconds. Null until then',
        examples: [1772064001.75],
      }),
    csv_formulas: csvFormulas,
    from: rangeFields.from.nullable(),
    to: rangeFields.to.nullable(),
    events: rangeFields.events.nullable().meta({ description: 'Tickers of the events of a list, otherwise null' }),
    tickers: rangeFields.tickers.nullable().meta({ description: 'Tickers of the markets of a list, otherwise null' }),
    group: text.meta({
      description: 'Id of the request with `split: day` that created the export, otherwise null',
      examples: ['48dda3c2-1b8a-4b4e-9e0a-563b09253609'],
    }),
    remarks: z.array(z.string()).meta({
      description: 'What the request did that you may not expect, such as the use of a free credit',
    }),
    manifest: exportManifest
      .nullable()
      .meta({ description: 'Exact contents of the file. Null until the export is ready' }),
    dataset_id: text.meta({
      description:
        'Id of the file as a dataset, from its SHA-256 and `as_of`. `GET /datasets/{dataset_id}` shows it to everybody who has an API key and the id. Null until the export is ready, unless it was created from a dataset',
      examples: ['ds-9f86d081884c7d659a2feaa0c55ad015'],
    }),
    citation: citation.nullable().meta({ description: 'How to cite the file. Null until the export is ready' }),
    ...asOfEcho,
  })
  .meta({ id: 'ExportResponse', description: 'An export and its progress.' });
export type ExportResponse = z.infer<typeof exportResponse>;

/** A row of the export list: the fields that distinguish exports. The rest is available by id. */
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
    from: true,
    to: true,
    group: true,
    as_of: true,
  })
  .meta({
    id: 'ExportListItem',
    description: 'An export in a list. `GET /exports/{export_id}` returns all of its fields.',
  });

export const exportListResponse = z
  .object({
    count: count.meta({ description: 'Number of exports in this answer', examples: [1] }),
    exports: z.array(exportListItem).meta({ description: 'Exports, newest first' }),
    ...asOfEcho,
    ...cursorPage,
  })
  .meta({ id: 'ExportListResponse' });
export type ExportListResponse = z.infer<typeof exportListResponse>;
