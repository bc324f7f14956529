import { z } from 'zod';
import { asOf } from '../requests/as-of.js';
import { market } from './catalog.js';
import {
  categoriesResponse,
  eventDetailResponse,
  marketDetailResponse,
  marketsResponse,
  searchResponse,
  seriesDetailResponse,
  seriesResponse,
} from './catalog-responses.js';
import { catalogueImportRpc } from './catalogue-import-rpc.js';
import type { ErrorCode } from '../errors.js';
import { exportStream } from '../export/export-formats.js';
import { micros } from '../requests/numbers.js';
import { cursor, limitOf } from '../requests/paging.js';
import { contract } from '../requests/rpc.js';

const text = z.string().nullish();
const closeBound = z.number().nullish();
const words = 'Search words, in any order and case';
const status = text.meta({
  description: 'Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing',
  examples: ['finalized'],
  'x-extensible-enum': ['live', 'closed', 'finalized'],
});
const categorySlug = text.meta({
  description: 'Return only items in the category with this slug',
  examples: ['crypto'],
});
/** Far longer than any title. */
const searchText = z.string().max(10_000);
const q = searchText.nullish().meta({ description: words, examples: ['btc 15 minutes'] });
const closeBounds = {
  from_ts: closeBound.meta({ description: 'Earliest close time to return, in Unix seconds', examples: [1771977600] }),
  to_ts: closeBound.meta({ description: 'Latest close time to return, in Unix seconds', examples: [1772063999] }),
};
const offset = z
  .int()
  .min(0)
  .max(10_000)
  .default(0)
  .meta({ description: 'Number of items to skip', examples: [0] });
const query = <In extends z.ZodType, Out extends z.ZodType>(
  method: string,
  input: In,
  output: Out,
  errors: readonly ErrorCode[] = [],
) => contract({ service: 'catalog', method, kind: 'query', input, output, errors, timeoutMs: 5_000 });

/**
 * The contracts of the catalog service. The gateway validates with the HTTP schemas; these limits apply again. The
 * fields are in the specification's order, which is also the order of their faults. Added fields come last.
 */
export const catalogRpc = {
  ...catalogueImportRpc,
  search: query(
    'search',
    z.object({
      q: searchText
        .default('')
        .meta({ description: `${words}. If empty, everything that matches the filters`, examples: ['btc 15 minutes'] }),
      category: categorySlug,
      status,
      ...closeBounds,
      offset,
      limit: limitOf(200, 40),
      as_of: asOf,
    }),
    searchResponse,
    ['as_of_in_future'],
  ),
  categories: query('categories', z.object({ as_of: asOf }), categoriesResponse, ['as_of_in_future']),
  listSeries: query(
    'list-series',
    z.object({ category: categorySlug, q, status, ...closeBounds, offset, limit: limitOf(200, 80), as_of: asOf }),
    seriesResponse,
    ['as_of_in_future'],
  ),
  seriesDetail: query(
    'series-detail',
    z.object({
      series_id: z.string().meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
      status,
      q,
      ...closeBounds,
      offset,
      event_offset: offset.meta({ description: 'Number of events to skip', examples: [0] }),
      limit: limitOf(200, 80),
      as_of: asOf,
    }),
    seriesDetailResponse,
    ['series_not_found', 'as_of_in_future'],
  ),
  eventDetail: contract({
    ...query(
      'event-detail',
      z.object({
        event_id: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
        limit: limitOf(400, 200),
        cursor,
        as_of: asOf,
      }),
      eventDetailResponse,
      ['event_not_found', 'invalid_cursor', 'as_of_in_future'],
    ),
    callers: ['gateway', 'timeseries'],
  }),
  listMarkets: query(
    'list-markets',
    z.object({
      series: text.meta({ description: 'Return only markets of the series with this id', examples: ['KXBTC15M'] }),
      status,
      event: text.meta({
        description: 'Return only markets of the event with this ticker',
        examples: ['KXBTC15M-26FEB242330'],
      }),
      q,
      category: categorySlug,
      limit: limitOf(200, 50),
      days: z
        .int()
        .min(1)
        .max(7)
        .default(1)
        .meta({
          description:
            'Number of days to return, counted back from the newest past close of a market that matches the other filters. Live markets are always included. Ignored if `from_ts`, `to_ts`, `event` or `q` is set',
          examples: [1],
        }),
      ...closeBounds,
      cursor,
      changed_since_ts: z
        .number()
        .nullish()
        .meta({
          description:
            'Return markets that changed in the archive at or after this time, in Unix seconds, the earliest change first. Each market is listed by its last change, and again if it changes meanwhile. All other filters apply, and `days` is ignored. To keep a copy up to date, send the same filters with each `next_cursor`, also after the last page. A status that changes because time passes, and a change of the series, are no changes of a market',
          examples: [1775319300],
        }),
      as_of: asOf.meta({
        description:
          'List the markets that were listed by this time, in Unix seconds, as they were known then. It does not work with `changed_since_ts`, and may not be in the future',
        examples: [1771993500],
      }),
      has_gaps: z
        .boolean()
        .optional()
        .meta({
          description:
            'Return only markets whose recording has a gap between open and close, or until now for a live market. With `false` only those without a known gap, also if nothing states that the recording is complete. It does not work with `changed_since_ts`',
          examples: [true],
        }),
      covered_min: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .meta({
          description:
            'Smallest share of the time from open to close, or until now for a live market, with a complete recording. Markets of which no recording states its completeness are left out, also with 0. It does not work with `changed_since_ts`',
          examples: [0.99],
        }),
    }),
    marketsResponse,
    ['invalid_cursor', 'invalid_window', 'invalid_input', 'as_of_in_future'],
  ),
  marketDetail: query('market-detail', z.object({ ticker: market.shape.ticker, as_of: asOf }), marketDetailResponse, [
    'market_not_found',
    'as_of_in_future',
  ]),

  /** The existing id that is most similar to an id that does not exist. It delays a 404, so it may take no longer. */
  nearestId: contract({
    ...query(
      'nearest-id',
      z.object({ kind: z.enum(['series', 'event', 'market']), id: z.string() }),
      z.object({ nearest: z.string().nullable() }),
    ),
    timeoutMs: 1_000,
  }),

  /**
   * Resolves the target of an export: exactly one of event, ticker, events, tickers, series with day, or series with
   * from and to (UTC, YYYY-MM-DD).
   */
  exportTarget: contract({
    ...query(
      'export-target',
      z.object({
        event: text,
        ticker: text,
        series: text,
        day: text,
        from: text,
        to: text,
        events: z.array(z.string()).nullish(),
        tickers: z.array(z.string()).nullish(),
        /** They decide which rows a day has. */
        streams: z.array(exportStream).default(['snapshots', 'settlement']),
        as_of: asOf,
      }),
      z.object({
        /** `as_of` of the request. A service of an earlier release does not repeat it. */
        as_of: z.number().optional(),
        event: z.string().nullable(),
        ticker: z.string().nullable(),
        series: z.string().nullable(),
        day: z.string().nullable(),
        /** The events that must be paid for: one, or several for a day pack. */
        events: z.array(z.string()),
        tickers: z.array(z.string()),
        /** One for each day, each event, or each event of a list of markets. Only a day can have no rows. */
        parts: z
          .array(
            z.object({
              day: z.string().nullable(),
              event: z.string().nullable(),
              events: z.array(z.string()),
              tickers: z.array(z.string()),
              has_rows: z.boolean(),
            }),
          )
          .default([]),
      }),
      [
        'event_not_found',
        'market_not_found',
        'series_not_found',
        'no_data_for_day',
        'invalid_input',
        'as_of_in_future',
      ],
    ),
    callers: ['export'],
  }),

  /**
   * The tickers, in order, of at most `limit` markets of a series, an event, a category or a venue that were open between two times.
   * `unknown` says that the target does not exist.
   */
  marketsOpenIn: contract({
    ...query(
      'markets-open-in',
      z.object({
        series: text,
        event: text,
        category: text,
        venue: text,
        start_us: micros,
        end_us: micros,
        limit: z.int().min(1),
        as_of: asOf,
      }),
      z.object({
        as_of: z.number().optional(),
        tickers: z.array(z.string()),
        unknown: z.object({ detail: z.string(), nearest: z.string().nullable() }).nullable(),
      }),
      ['as_of_in_future'],
    ),
    callers: ['timeseries'],
  }),
};
