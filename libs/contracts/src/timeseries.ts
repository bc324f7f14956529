import { z } from 'zod';
import { market } from './catalog.js';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { contract } from './rpc.js';

const level = z.tuple([z.number(), z.number()]).describe('[price, size]');
const book = z.array(level).nullable().describe('bids of this side, best first; null where no book was captured');

/** A stored observation. `orderbook_yes` and `orderbook_no` are there only when the book was asked for. */
export const snapshot = z.object({
  ts: z.number().nullable(),
  venue_ts: z.number().nullable(),
  seq: z.int().nullable(),
  yes_best_bid: z.number().nullable(),
  yes_best_ask: z.number().nullable(),
  coin_price: z.number().nullable(),
  orderbook_yes: book.optional(),
  orderbook_no: book.optional(),
});
export type Snapshot = z.infer<typeof snapshot>;

export const snapshotsResponse = z.object({
  ticker: z.string(),
  series: z.string().nullable(),
  start_ts: z.number(),
  end_ts: z.number(),
  step_ms: z.int(),
  include_book: z.boolean(),
  matched: z.int().describe('stored observations in the window'),
  count: z.int().describe('observations in this answer'),
  market: market.nullable(),
  snapshots: z.array(snapshot),
  key_mode: z.string().nullable(),
  clamped: z.boolean().nullable(),
  preview: z.boolean().nullable(),
  layer: z.string().nullable(),
  has_more: z.boolean(),
  next_start_ts: z.number().nullable().describe('where to go on, without a repeat or a hole; null at the end'),
  notice: z.string().nullable(),
});

export const previewCoverage = z.object({
  first_print_ts: z.number().nullable(),
  last_print_ts: z.number().nullable(),
  has_l2: z.boolean(),
  prints: z.int(),
});
export const previewUseful = z.object({
  start_ts: z.number().nullable(),
  end_ts: z.number().nullable(),
  reason: z.string().nullable(),
});

export const previewResponse = snapshotsResponse.extend({
  tape: z.array(snapshot),
  window_s: z.number().nullable(),
  cached: z.boolean().nullable(),
  cache_source: z.enum(['redis', 'memory']).nullable(),
  coverage: previewCoverage,
  useful: previewUseful,
  path: z.array(snapshot),
  sample: z.array(snapshot),
  l2_sample: z.array(z.object({ ts: z.number(), orderbook_yes: book, orderbook_no: book })),
  chartable: z.boolean(),
  schema: z.int(),
  style: z.string().nullable(),
  pending: z.boolean(),
});

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

/** EVT_ARCHIVE: appended once the change can be queried. `rows` is the batch's, 0 for a change of the catalogue. */
export const archiveEvents = {
  MarketDataChanged: eventOf(
    'MarketDataChanged',
    z.object({
      cause: z.enum(['observations', 'catalogue']),
      rows: z.int(),
      min_us: micros.nullable(),
      max_us: micros.nullable(),
    }),
    archiveState,
  ),
};

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

/** The further columns of a batch with `columns: 'l2'`: whether a book is known, and the bids of each side. */
export const bookColumns = ['has_book', 'orderbook_yes', 'orderbook_no'] as const;

const seconds = z.number().nullish();

export const timeseriesRpc = {
  /**
   * Stores a batch of observations; answers after the insert, when they can be read. The rows follow as the request's
   * body: ClickHouse TabSeparated, `observationColumns` in order (times in seconds with six decimals, `\N` for null),
   * and behind them `bookColumns` where `columns` is `l2` (a book is `[(price,size),…]`, best first),
   * so that Node never makes an object of a row. Storing a batch again changes nothing that a reader sees.
   */
  store: contract({
    service: 'timeseries',
    method: 'store',
    kind: 'command',
    input: z.object({
      columns: z.enum(['top', 'l2']).default('top'),
      markets: z
        .array(z.object({ ticker: z.string().min(1), rows: z.int().min(1), min_us: micros, max_us: micros }))
        .min(1)
        .max(5_000),
    }),
    output: z.object({ rows: z.int() }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),
  snapshots: contract({
    service: 'timeseries',
    method: 'snapshots',
    kind: 'query',
    input: z.object({
      ticker: z.string(),
      start_ts: seconds,
      end_ts: seconds,
      limit: z.int().min(1).max(5_000).default(1_000),
      step_ms: z.int().min(0).max(60_000).default(1_000),
      include_book: z.boolean().default(false),
      preview: z.boolean().default(false),
    }),
    output: snapshotsResponse,
    errors: ['market_not_found', 'invalid_window'],
    timeoutMs: 15_000,
  }),
  preview: contract({
    service: 'timeseries',
    method: 'preview',
    kind: 'query',
    input: z.object({ ticker: z.string() }),
    output: previewResponse,
    errors: ['market_not_found', 'invalid_window'],
    timeoutMs: 15_000,
  }),
};
