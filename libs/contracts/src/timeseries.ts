import { z } from 'zod';
import { market } from './catalog.js';
import { micros } from './numbers.js';
import { contract } from './rpc.js';

const level = z.tuple([z.number(), z.number()]).meta({ description: '`[price, size]`', examples: [[0.86, 300]] });
const bookOf = (side: string) =>
  z
    .array(level)
    .nullable()
    .meta({
      description: `Bids on ${side}, best first, each \`[price, size]\`: price as a fraction of 1, size in contracts; null where no book was captured`,
      examples: [[[0.86, 300]]],
    });
const books = { orderbook_yes: bookOf('yes'), orderbook_no: bookOf('no') };

const text = z.string().nullable();
const number = z.number().nullable();
const flag = z.boolean().nullable();
const total = z.int().min(0);
/** Fields may be added to these; the specification says so of no other. */
const open = { additionalProperties: true };

/** A stored observation. `orderbook_yes` and `orderbook_no` are there only when the book was asked for. */
export const snapshot = z
  .object({
    ts: number.meta({ description: 'When it was observed, Unix seconds', examples: [1771993365.058297] }),
    venue_ts: number.meta({ description: "The venue's own time of it, Unix seconds", examples: [1771993365.05] }),
    seq: z
      .int()
      .nullable()
      .meta({ description: "The venue's sequence number", examples: [4711] }),
    yes_best_bid: number.meta({ description: 'Best bid on yes, a fraction of 1', examples: [0.86] }),
    yes_best_ask: number.meta({ description: 'Best ask on yes, a fraction of 1', examples: [0.87] }),
    coin_price: number.meta({ description: 'Price of the coin, USD', examples: [65541.895] }),
    orderbook_yes: books.orderbook_yes.optional(),
    orderbook_no: books.orderbook_no.optional(),
  })
  .meta({ id: 'Snapshot', description: 'A stored observation; books only where asked for.', ...open });
export type Snapshot = z.infer<typeof snapshot>;

export const snapshotsResponse = z
  .object({
    ticker: market.shape.ticker,
    series: market.shape.series,
    start_ts: z.number().meta({ description: 'Start of the window, in it, Unix seconds', examples: [1771992900] }),
    end_ts: z.number().meta({ description: 'End of the window, not in it, Unix seconds', examples: [1771993800] }),
    step_ms: total.meta({ description: 'Step of the downsampling in ms; 0: every stored row', examples: [1000] }),
    include_book: z.boolean().meta({ description: 'Whether the snapshots have books', examples: [false] }),
    matched: total.meta({ description: 'Stored observations in the window', examples: [450] }),
    count: total.meta({ description: 'Observations in this answer', examples: [450] }),
    market: market.nullable(),
    snapshots: z.array(snapshot).meta({ description: 'The last observation of each step, oldest first' }),
    key_mode: text.meta({ description: "The plan of the caller's key", examples: ['pro'] }),
    clamped: flag.meta({ description: 'Whether the window was cut to what one answer covers', examples: [false] }),
    preview: flag.meta({ description: 'Whether this is a preview', examples: [false] }),
    layer: text.meta({ description: '`l2` when a snapshot of this answer has a book, else `top`', examples: ['top'] }),
    has_more: z.boolean().meta({ description: 'Whether there is more than this answer holds', examples: [false] }),
    next_start_ts: number.meta({
      description: '`start_ts` to go on with, without a repeat or a hole, Unix seconds; null at the end',
      examples: [1771993801],
    }),
    notice: text.meta({ description: 'Why books were left out that were asked for' }),
  })
  .meta({ id: 'SnapshotsResponse' });

/** The forms in which a bulk reader may have snapshots, and their media types; the first is the one without a wish. */
export const snapshotForms = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;
export const snapshotForm = z.enum(['json', 'csv', 'ndjson', 'parquet']);
export type SnapshotForm = z.infer<typeof snapshotForm>;

const gap = z
  .object({
    start_ts: z
      .number()
      .meta({ description: 'The last moment at which the book was known, Unix seconds', examples: [1778763701.5] }),
    end_ts: number.meta({
      description: 'When it was known again, Unix seconds; null while it is not',
      examples: [1778763704.25],
    }),
    reason: z.string().meta({ description: 'What was missing', examples: ['messages are missing in the sequence'] }),
  })
  .meta({ id: 'CoverageGap', description: 'A time in which the recording missed something: no row lies inside.' });
export const previewCoverage = z
  .object({
    first_print_ts: number.meta({ description: 'First stored observation, Unix seconds', examples: [1771992901.5] }),
    last_print_ts: number.meta({ description: 'Last stored observation, Unix seconds', examples: [1771993799.8] }),
    has_l2: z.boolean().meta({ description: 'Whether books were captured', default: false }),
    prints: total.meta({ description: 'Stored observations', examples: [450], default: 0 }),
    gaps: z
      .array(gap)
      .meta({ description: 'Where the recording has holes, oldest first: the last 1,000', default: [] }),
    gaps_n: total.meta({ description: 'All of its holes', examples: [1], default: 0 }),
    gap_s: z
      .number()
      .min(0)
      .meta({
        description: 'Length of all holes together in seconds; one without an end lasts to the end of the window',
        examples: [2.75],
        default: 0,
      }),
  })
  .meta({ id: 'PreviewCoverage', description: 'What is stored of the market.' });
export const previewUseful = z
  .object({
    start_ts: number.meta({ description: 'First quote with a bid and an ask, Unix seconds', examples: [1771992901.5] }),
    end_ts: number.meta({ description: 'When it ends, Unix seconds', examples: [1771993700.25] }),
    reason: text.meta({
      description: 'What ends it: the outcome was `locked`, or the market `closed`, or nothing yet: `live`',
      examples: ['locked'],
    }),
  })
  .meta({ id: 'PreviewUseful', description: 'The part worth studying.' });

export const previewResponse = snapshotsResponse
  .extend({
    tape: z.array(snapshot).meta({ description: 'The last 20 stored rows of the window, oldest first' }),
    window_s: number.meta({ description: 'Length of the window in seconds', examples: [900] }),
    cached: flag.meta({ description: 'Whether this was prepared before', examples: [true] }),
    cache_source: z
      .enum(['redis', 'memory'])
      .nullable()
      .meta({ description: 'Where it was kept; null when it was not', examples: ['redis'] }),
    coverage: previewCoverage,
    useful: previewUseful,
    path: z.array(snapshot).meta({ description: 'The YES path: at most 300 observations, `step_ms` apart' }),
    sample: z.array(snapshot).meta({ description: 'The first 20 stored rows of the window, oldest first' }),
    l2_sample: z
      .array(
        z
          .object({ ts: z.number().meta({ description: 'When it was observed, Unix seconds' }), ...books })
          .meta({ id: 'BookSample', description: 'The books of one observation.' }),
      )
      .meta({ description: 'Up to 3 books, for every plan' }),
    chartable: z
      .boolean()
      .meta({ description: 'Whether the path has two points or more', examples: [true], default: false }),
    schema: z.int().meta({ description: 'Version of this shape', examples: [3], default: 3 }),
    style: text.meta({ description: '`rolling` or `event`', examples: ['rolling'] }),
    pending: z.boolean().meta({
      description: 'Whether it is still being prepared: ask again shortly',
      examples: [false],
      default: false,
    }),
  })
  .meta({ id: 'PreviewResponse', ...open });

/**
 * What is stored of a market, after its last change. `version` counts its changes: it is part of every cache key, ETag
 * and export file key. `min_us` and `max_us` span the stored observations, null before the first.
 */
export const archiveState = z.object({
  ticker: z.string(),
  version: z.int(),
  min_us: micros.nullable(),
  max_us: micros.nullable(),
});
export type ArchiveState = z.infer<typeof archiveState>;

/** The columns of a stored batch, in the order of its tab-separated values. */
export const observationColumns = [
  'ticker',
  'series',
  'ts',
  'venue_ts',
  'seq',
  'yes_best_bid',
  'yes_best_ask',
  'coin_price',
] as const;

/**
 * The further columns of a batch with `columns: 'l2'`: whether a book is known, the bids of each side, and how many
 * microseconds before `ts` the trade was that `coin_price` is of (null where that is not known).
 */
export const bookColumns = ['has_book', 'orderbook_yes', 'orderbook_no', 'coin_price_age_us'] as const;

const bound = z.number().nullish();

export const timeseriesRpc = {
  /**
   * Stores a batch of observations; answers after the insert, when they can be read. The rows follow as the request's
   * body: ClickHouse TabSeparated, `observationColumns` in order (times in seconds with six decimals, `\N` for null),
   * and behind them `bookColumns` where `columns` is `l2` (a book is `[(price,size),…]`, best first),
   * so that Node never makes an object of a row. Storing a batch again changes nothing that a reader sees.
   *
   * `gaps` are times in which a market's recording missed something, known by ticker and start: one that is stored
   * again takes the later end. `end_us` is null while it lasts. They need no rows and come without a body then.
   */
  store: contract({
    service: 'timeseries',
    method: 'store',
    kind: 'command',
    input: z.object({
      columns: z.enum(['top', 'l2']).default('top'),
      markets: z
        .array(z.object({ ticker: z.string().min(1), rows: z.int().min(1), min_us: micros, max_us: micros }))
        .max(5_000),
      gaps: z
        .array(z.object({ ticker: z.string().min(1), start_us: micros, end_us: micros.nullable(), reason: z.string() }))
        .max(5_000)
        .default([]),
    }),
    output: z.object({ rows: z.int() }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),
  /**
   * `format` is no parameter of the address: the gateway takes it from `Accept`. `output` is the JSON form; the others
   * are rows alone, and what stands beside the rows in the JSON is the reply's `head`.
   */
  snapshots: contract({
    service: 'timeseries',
    method: 'snapshots',
    kind: 'query',
    input: z.object({
      ticker: market.shape.ticker,
      start_ts: bound.meta({ description: 'Start of the window, in it, Unix seconds', examples: [1771992900] }),
      end_ts: bound.meta({ description: 'End of the window, not in it, Unix seconds', examples: [1771993800] }),
      limit: z
        .int()
        .min(1)
        .max(5_000)
        .default(1_000)
        .meta({ description: 'The most snapshots of this answer', examples: [1_000] }),
      step_ms: z
        .int()
        .min(0)
        .max(60_000)
        .default(1_000)
        .meta({
          description: 'Keeps the last observation of each step of this many ms; 0: every stored row',
          examples: [1_000],
        }),
      include_book: z
        .boolean()
        .default(false)
        .meta({ description: 'Adds the order books, which are large', examples: [false] }),
      preview: z
        .boolean()
        .default(false)
        .meta({ description: 'Takes a window of 15 minutes in place of up to 6 hours', examples: [false] }),
      format: snapshotForm.default('json'),
    }),
    output: snapshotsResponse,
    errors: ['market_not_found', 'invalid_window'],
    timeoutMs: 15_000,
  }),
  preview: contract({
    service: 'timeseries',
    method: 'preview',
    kind: 'query',
    input: z.object({ ticker: market.shape.ticker }),
    output: previewResponse,
    errors: ['market_not_found', 'invalid_window'],
    timeoutMs: 15_000,
  }),
};
