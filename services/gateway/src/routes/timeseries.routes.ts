import { timeseriesRpc } from '@almanac/contracts';
import { format, forms } from './read-forms.js';
import { forwarding, type Route } from './route.js';

const ticker = timeseriesRpc.snapshots.input.pick({ ticker: true });

export const timeseriesRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/markets/:ticker/preview',
    doc: {
      operationId: 'previewMarket',
      tag: 'Time series',
      summary: 'Preview a market',
      description:
        'Returns the coverage of the stored data, the YES price path, the first and last rows, and the useful part of the window.\n\nThe window is the last 6 hours of the market. If the market begins before it, `clamped` is true, and the notice `window_clamped` says how to read the earlier rows.\n\nIf `pending` is true, the preview is being prepared: send the request again after a short time.',
    },
    given: { path: ticker, query: timeseriesRpc.preview.input.omit({ ticker: true }) },
    contract: timeseriesRpc.preview,
    input: ({ path, query }) => ({ ...path, ...query }),
    cacheable: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker/snapshots',
    doc: {
      operationId: 'listSnapshots',
      tag: 'Time series',
      summary: 'List snapshots of a market',
      description:
        'Returns stored observations with `start_ts <= ts < end_ts`, downsampled to the last observation of each step. No values are interpolated.\n\nA window has at most 6 hours. Without bounds, it is the last 6 hours of the market. With only `start_ts`, it is the next 6 hours. With only `end_ts`, it is the 6 hours before. If both bounds are set and are further apart, the window is the first 6 hours. If rows are left out, `clamped` is true: send `next_start_ts` as `start_ts` to read on.\n\nAn answer without rows has the notice `window_empty`, which names the nearest rows.\n\nFor bulk reads, request CSV, JSON lines, Parquet or Arrow with `format` or `Accept`. Without `limit`, the answer has all rows of the window, of any length: the 6 hours do not apply, and without bounds it is all data of the market. The trailers `Almanac-Complete`, `Almanac-Count` and `Almanac-Sha256` follow the last row; a short answer has them as headers. If the server cannot finish the answer, it aborts the connection.\n\nWith `limit`, these formats have the same pages as JSON. Headers have the other fields, such as `Almanac-Has-More` for `has_more`, and `Link` has the URL of the next page.',
    },
    given: {
      path: ticker,
      query: timeseriesRpc.snapshots.input.omit({ ticker: true, format: true, whole: true }).extend({
        format,
      }),
    },
    contract: timeseriesRpc.snapshots,
    forms: [...forms],
    input: ({ path, query }, { form, isGiven }) => ({
      ...path,
      ...query,
      format: form,
      whole: form !== 'json' && !isGiven('limit'),
    }),
    // Books are served only for unlocked events, so the answer depends on the account.
    cacheable: ({ path, query }) => ({ ticker: path.ticker, byAccount: query.include_book }),
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker/trades',
    doc: {
      operationId: 'listTrades',
      tag: 'Time series',
      summary: 'List trades of a market',
      description:
        'Returns the stored trades with `start_ts <= ts < end_ts` by time, then by id. A window has any length. Without bounds, it is all trades of the market. To read more, send `next_cursor` as `cursor`. An answer without trades has the notice `window_empty`, which names the nearest ones.\n\nEach trade is stored once, by its id at the venue. Prices are those of the yes side.\n\nFor bulk reads, request CSV, JSON lines, Parquet or Arrow with `format` or `Accept`. Without `limit`, the answer has all trades of the window, with the trailers `Almanac-Complete`, `Almanac-Count` and `Almanac-Sha256`. A short answer has them as headers. If the server cannot finish the answer, it aborts the connection.\n\nWith `limit`, these formats have the same pages as JSON. Headers have the other fields, such as `Almanac-Has-More` for `has_more`, and `Link` has the URL of the next page.',
    },
    given: {
      path: ticker,
      query: timeseriesRpc.trades.input.omit({ ticker: true, format: true, whole: true }).extend({ format }),
    },
    contract: timeseriesRpc.trades,
    forms: [...forms],
    input: ({ path, query }, { form, isGiven }) => ({
      ...path,
      ...query,
      format: form,
      whole: form !== 'json' && !isGiven('limit'),
    }),
    cacheable: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
];
