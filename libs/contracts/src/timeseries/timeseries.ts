import { z } from 'zod';
import { eventTypesOf } from '../events/events.js';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { candleRpc } from './candles.js';
import { market } from '../catalog/catalog.js';
import { previewCoverage, recordedSpan } from './coverage.js';
import { eventSnapshotsRpc } from './event-snapshots.js';
import { momentRpc } from './moments.js';
import { micros, numberType } from '../requests/numbers.js';
import { cursor } from '../requests/paging.js';
import { sizeShapes, usualFields, usualShapes } from './observation-fields.js';
import { qualityRpc } from './quality.js';
import { books, snapshotForm } from '../requests/read-forms.js';
import { contract, sentAgainByImporter } from '../requests/rpc.js';
import { coinPricesRpc } from '../catalog/coin-prices.js';
import { stagingRpc } from './staging.js';
import { tradeOrder, tradesResponse } from './trades.js';

const text = z.string().nullable();
const number = z.number().nullable();
const flag = z.boolean().nullable();
const total = z.int().min(0);
/** These objects may get more fields. The specification says so only of these. */
const open = { additionalProperties: true };

/** A stored observation. Sizes and books are present only if they were requested. */
export const snapshot = z
  .object({
    ts: number.meta({ description: 'Time of the observation, in Unix seconds', examples: [1771993365.058297] }),
    ...usualShapes,
    ...sizeShapes,
    orderbook_yes: books.orderbook_yes.optional(),
    orderbook_no: books.orderbook_no.optional(),
  })
  .meta({
    id: 'Snapshot',
    description: 'A stored observation. Sizes and order books are included only on request.',
    ...open,
  });
export type Snapshot = z.infer<typeof snapshot>;

export const snapshotsResponse = z
  .object({
    ticker: market.shape.ticker,
    series: market.shape.series,
    start_ts: z
      .number()
      .meta({ description: 'Start of the window (inclusive), in Unix seconds', examples: [1771992900] }),
    end_ts: z.number().meta({ description: 'End of the window (exclusive), in Unix seconds', examples: [1771993800] }),
    step_ms: total.meta({
      description: 'Downsampling step in milliseconds. 0 means every stored row',
      examples: [1000],
    }),
    include_book: z.boolean().meta({ description: 'Whether the snapshots have order books', examples: [false] }),
    matched: total.meta({ description: 'Number of stored observations in the window', examples: [450] }),
    count: total.meta({ description: 'Number of observations in this answer', examples: [450] }),
    market: market.nullable(),
    snapshots: z.array(snapshot).meta({ description: 'Last observation of each step, oldest first' }),
    key_mode: text.meta({ description: 'Plan of the API key', examples: ['pro'] }),
    clamped: flag.meta({ description: 'Whether the window was shortened to the maximum length', examples: [false] }),
    preview: flag.meta({ description: 'Whether the answer is a preview', examples: [false] }),
    layer: text.meta({
      description: '`l2` if a snapshot in this answer has an order book, otherwise `top`',
      examples: ['top'],
    }),
    has_more: z.boolean().meta({ description: 'Whether more items follow this answer', examples: [false] }),
    next_start_ts: number.meta({
      description: '`start_ts` of the next page, in Unix seconds. Null on the last page',
      examples: [1771993801],
    }),
    notice: text.meta({ description: 'Why requested order books are not included. Null if nothing was left out' }),
    ...asOfEcho,
  })
  .meta({ id: 'SnapshotsResponse' });

const previewUseful = z
  .object({
    start_ts: number.meta({
      description: 'Time of the first quote with a bid and an ask, in Unix seconds',
      examples: [1771992901.5],
    }),
    end_ts: number.meta({ description: 'End of the useful part, in Unix seconds', examples: [1771993700.25] }),
    reason: text.meta({
      description: 'Why it ends: `locked` (the outcome is certain), `closed`, or `live` (not ended yet)',
      examples: ['locked'],
    }),
  })
  .meta({ id: 'PreviewUseful', description: 'The part of the window that is useful to study.' });

export const previewResponse = snapshotsResponse
  .extend({
    tape: z.array(snapshot).meta({ description: 'Last 20 stored rows of the window, oldest first' }),
    window_s: number.meta({ description: 'Length of the window in seconds', examples: [900] }),
    cached: flag.meta({ description: 'Whether the preview comes from the cache', examples: [true] }),
    cache_source: z
      .enum(['redis', 'memory'])
      .nullable()
      .meta({ description: 'Cache that the preview comes from. Null if it was not cached', examples: ['redis'] }),
    coverage: previewCoverage
      .nullable()
      .meta({ description: 'What is stored of the market. Null while `pending` is true: nothing is known yet' }),
    useful: previewUseful,
    path: z.array(snapshot).meta({ description: 'YES price path: at most 300 observations, one per `step_ms`' }),
    sample: z.array(snapshot).meta({ description: 'First 20 stored rows of the window, oldest first' }),
    l2_sample: z
      .array(
        z
          .object({ ts: z.number().meta({ description: 'Time of the observation, in Unix seconds' }), ...books })
          .meta({ id: 'BookSample', description: 'Order books of one observation.' }),
      )
      .meta({ description: 'Up to 3 order books. Included in every plan' }),
    chartable: z
      .boolean()
      .meta({ description: 'Whether the path has at least 2 points', examples: [true], default: false }),
    schema: z.int().meta({ description: 'Version of the preview format', examples: [3], default: 3 }),
    style: text.meta({ description: 'Kind of the series: `rolling` or `event`', examples: ['rolling'] }),
    pending: z.boolean().meta({
      description: 'Whether the preview is still being prepared. If true, request it again after a short time',
      examples: [false],
      default: false,
    }),
  })
  .meta({ id: 'PreviewResponse', ...open });

/**
 * The data version and extent of a market's data. `version` counts its changes and is part of every cache key, ETag
 * and export file key. `min_us` and `max_us` are the bounds of the stored observations, null before the first.
 */
export const archiveState = z.object({
  ticker: z.string(),
  version: z.int(),
  min_us: micros.nullable(),
  max_us: micros.nullable(),
});
eventTypesOf(archiveState, ['MarketDataChanged']);
export type ArchiveState = z.infer<typeof archiveState>;

/** The columns of a stored batch, in the order of its tab-separated values. */
export const observationColumns = ['ticker', 'series', 'ts', ...usualFields] as const;

/**
 * Further columns of a batch with `columns: 'l2'`: whether the book is known, the bids of each side, and the age in
 * microseconds at `ts` of the trade behind `coin_price` (null if unknown).
 */
export const bookColumns = ['has_book', 'orderbook_yes', 'orderbook_no', 'coin_price_age_us'] as const;

const bound = z.number().nullish();
const startTs = bound.meta({ description: 'Start of the window (inclusive), in Unix seconds', examples: [1771992900] });
const endTs = bound.meta({ description: 'End of the window (exclusive), in Unix seconds', examples: [1771993800] });
const numbersShown = numberType.meta({
  description:
    'Type of prices and sizes in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with',
  examples: ['decimal'],
});

/** Fields of reads that answer with the rows of a window, by page or whole. */
const windowFields = { ticker: market.shape.ticker, start_ts: startTs, end_ts: endTs };
/** Errors of every read of one market. */
const readErrors = ['market_not_found', 'invalid_window', 'as_of_in_future'] as const;
const formFields = { numbers: numbersShown, format: snapshotForm.default('json'), whole: z.boolean().default(false) };
const limitOf = (rows: string) =>
  z
    .int()
    .min(1)
    .max(5_000)
    .default(1_000)
    .meta({ description: `Maximum number of ${rows} in the answer`, examples: [1_000] });

export const timeseriesRpc = {
  ...momentRpc,
  ...candleRpc,
  ...eventSnapshotsRpc,
  ...qualityRpc,
  ...coinPricesRpc,
  ...stagingRpc,
  /**
   * Stores a batch of observations. It returns after the insert, when the rows can be queried. The rows are the
   * request's body in ClickHouse TabSeparated format: `observationColumns` in order (times in seconds with six
   * decimals, `\N` for null), followed by `sizeFields` if `columns` is `top_sizes`, or by `bookColumns` if it is `l2` (a
   * book is `[(price,size),…]`, best first). Node therefore never creates an object per row. Storing a batch again changes nothing for readers.
   *
   * With `columns: 'trades'` the rows are trades in the columns `tradeColumns`. A trade that is stored already merges with
   * it by its id. With `columns: 'candles'` they are venue candles in the columns `venueCandleColumns`. With `columns: 'coins'`
   * they are prices of coins in the columns `coinPriceColumns`, and `markets` names the coins.
   *
   * `spans` are the times in which the recordings of markets are complete. A request with spans only has no body.
   */
  store: contract({
    service: 'timeseries',
    method: 'store',
    callers: ['ingest'],
    kind: 'command',
    repeats: sentAgainByImporter,
    input: z.object({
      columns: z.enum(['top', 'top_sizes', 'l2', 'trades', 'candles', 'coins']).default('top'),
      markets: z
        .array(z.object({ ticker: z.string().min(1), rows: z.int().min(1), min_us: micros, max_us: micros }))
        .max(5_000),
      spans: z.array(recordedSpan).max(5_000).default([]),
    }),
    output: z.object({ rows: z.int() }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),
  /**
   * The gateway derives `format` from the URL or from `Accept`, and sets `whole` for a form other than JSON without a
   * `limit`: the reply is then all rows of the requested window, of any length. `output` describes the JSON form. The
   * other forms contain only rows; the other fields of the JSON form are in the reply's `head`.
   */
  snapshots: contract({
    service: 'timeseries',
    method: 'snapshots',
    kind: 'query',
    input: z.object({
      ...windowFields,
      limit: limitOf('snapshots'),
      step_ms: z
        .int()
        .min(0)
        .max(60_000)
        .default(1_000)
        .meta({
          description: 'Downsampling step in milliseconds. 0 returns every stored row',
          examples: [1_000],
        }),
      include_book: z
        .boolean()
        .default(false)
        .meta({ description: 'Include full order books. They are large', examples: [false] }),
      sizes: z
        .boolean()
        .default(false)
        .meta({
          description: 'Include the sizes at the best bid and ask. Every plan has them',
          examples: [false],
        }),
      preview: z
        .boolean()
        .default(false)
        .meta({ description: 'Limit the window to 15 minutes instead of 6 hours', examples: [false] }),
      ...formFields,
      as_of: asOf,
    }),
    output: snapshotsResponse,
    errors: readErrors,
    timeoutMs: 15_000,
  }),
  /** `format` and `whole` as in `snapshots`. A window has any length in every form. */
  trades: contract({
    service: 'timeseries',
    method: 'trades',
    kind: 'query',
    input: z.object({
      ...windowFields,
      limit: limitOf('trades'),
      order: tradeOrder
        .default('asc')
        .meta({ description: '`asc` for oldest first, `desc` for newest first', examples: ['asc'] }),
      cursor,
      ...formFields,
      as_of: asOf,
    }),
    output: tradesResponse,
    errors: [...readErrors, 'invalid_cursor'],
    timeoutMs: 15_000,
  }),
  preview: contract({
    service: 'timeseries',
    method: 'preview',
    kind: 'query',
    input: z.object({ ticker: market.shape.ticker, as_of: asOf }),
    output: previewResponse,
    errors: readErrors,
    timeoutMs: 15_000,
  }),
};
