import { timeseriesRpc } from '@almanac/contracts';
import { z } from 'zod';
import { format, forms } from './read-forms.js';
import { forwarding, type Route } from './route.js';

const ticker = timeseriesRpc.snapshots.input.pick({ ticker: true });

const rowsAlone =
  '\n\nAs CSV, JSON lines, Parquet and Arrow, the answer has only rows. Headers have the other fields, such as `Almanac-Has-More` for `has_more`.';

/** They come before `/markets/:ticker`, which matches the paths of the batch reads too. */
export const researchRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/markets/:ticker/book',
    doc: {
      operationId: 'getBook',
      tag: 'Time series',
      summary: 'Get the order book at a moment',
      description: `Returns the last stored book with \`ts <= at_ts\`. \`basis\` says what can have happened between. The book is null inside a gap, and after a gap until the next book.\n\nBooks need the plan \`full_book\` or an unlocked event, as in snapshots. Without them, \`include_book\` is false and the levels are null.${rowsAlone}`,
    },
    given: { path: ticker, query: timeseriesRpc.book.input.omit({ ticker: true, format: true }).extend({ format }) },
    contract: timeseriesRpc.book,
    forms: [...forms],
    input: ({ path, query }, { form }) => ({ ...path, ...query, format: form }),
    cacheable: ({ path }) => ({ ticker: path.ticker, byAccount: true }),
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker/candles',
    doc: {
      operationId: 'listCandles',
      tag: 'Time series',
      summary: 'List candles of a market',
      description: `Summarises the observations and trades of each period \`start_ts <= ts < end_ts\`, in periods counted from the epoch (UTC). Without bounds, the window is all data of the market until its close. No candle is invented: a period without observations and trades has none, except with \`fill=previous\`. Observations and trades at or after the close or settlement never count. \`GET /markets/{ticker}/trades\` has all trades.\n\nAn answer has at most 5,000 periods. To read on, send \`next_start_ts\` as \`start_ts\`. For a chart, send \`points\`.${rowsAlone}`,
    },
    given: {
      path: ticker,
      query: timeseriesRpc.candles.input.omit({ ticker: true, format: true }).extend({ format }),
    },
    contract: timeseriesRpc.candles,
    forms: [...forms],
    input: ({ path, query }, { form }) => ({ ...path, ...query, format: form }),
    cacheable: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
  forwarding({
    method: 'post',
    path: '/markets/candles',
    doc: {
      operationId: 'listCandlesOfMarkets',
      tag: 'Time series',
      summary: 'List candles of several markets',
      description: `Returns candles of up to 100 markets in the same periods. An answer has at most 20,000 periods of all markets together. To read on, send \`next_start_ts\` as \`start_ts\`.${rowsAlone}`,
    },
    given: { query: z.object({ format }), body: timeseriesRpc.candleBatch.input.omit({ format: true }) },
    contract: timeseriesRpc.candleBatch,
    forms: [...forms],
    input: ({ body }, { form }) => ({ ...body, format: form }),
  }),
  forwarding({
    method: 'post',
    path: '/markets/at',
    doc: {
      operationId: 'readMarketsAt',
      tag: 'Time series',
      summary: 'Read markets at moments',
      description: `Returns the last observation of each market at or before each time, never a later one. Values are null before the first observation, inside a gap, and after a gap until the next observation. Duplicate tickers and times count once.${rowsAlone}`,
    },
    given: { query: z.object({ format }), body: timeseriesRpc.marketsAt.input.omit({ format: true }) },
    contract: timeseriesRpc.marketsAt,
    forms: [...forms],
    input: ({ body }, { form }) => ({ ...body, format: form }),
  }),
  forwarding({
    method: 'get',
    path: '/events/:event_id/snapshots',
    doc: {
      operationId: 'listEventSnapshots',
      tag: 'Time series',
      summary: 'Read an event on one clock',
      description: `Returns the best prices of all markets of an event at the same times, as columns. The times are multiples of \`step_ms\` since the epoch. A value is from the last observation at or before its time, never from a later one. It is null if it is unknown or if a gap follows the observation.\n\nWithout bounds, the window is the event from its open to its close, or to now, and of a longer event its last 6 hours. With only \`start_ts\`, it is the next 6 hours until the close, and \`next_start_ts\` goes on. With only \`end_ts\`, it is the 6 hours before, from the open on.\n\nAn answer has at most 100 markets and 5,000 times. For further markets, send \`next_cursor\` as \`cursor\` with the same window. For later times, send \`next_start_ts\` as \`start_ts\`.\n\nAs CSV, JSON lines, Parquet and Arrow, the answer has a row for each market and time, and headers have the other fields.`,
    },
    given: {
      path: timeseriesRpc.eventSnapshots.input.pick({ event_id: true }),
      query: timeseriesRpc.eventSnapshots.input.omit({ event_id: true, format: true }).extend({ format }),
    },
    contract: timeseriesRpc.eventSnapshots,
    forms: [...forms],
    input: ({ path, query }, { form }) => ({ ...path, ...query, format: form }),
    revalidates: true,
  }),
  forwarding({
    method: 'get',
    path: '/quality',
    doc: {
      operationId: 'getQuality',
      tag: 'Time series',
      summary: 'Find what is missing',
      description: `Returns what is stored of the markets of a series, an event, a category or a venue in a range of UTC days, and what is missing. The markets are those that were open in the range. Without days, it is yesterday.\n\nGaps are those of \`GET /markets/{ticker}/preview\`, with their whole times. All other figures are of the range, and of a live market until now.\n\nWith \`by=day\` or \`by=hour\`, \`periods\` has the sums of all these markets. At most 10,000 markets: otherwise, send fewer days. To read more, send \`next_cursor\` as \`cursor\`.\n\nAs CSV, JSON lines, Parquet and Arrow, the answer has only the markets or periods, and \`gaps_n\`, \`gap_s\` and \`longest_gap_s\` instead of the list of gaps. Headers have the other fields, such as \`Almanac-Has-More\` for \`has_more\`, and \`Link\` has the URL of the next page.`,
    },
    given: { query: timeseriesRpc.quality.input.omit({ format: true }).extend({ format }) },
    contract: timeseriesRpc.quality,
    forms: [...forms],
    input: ({ query }, { form }) => ({ ...query, format: form }),
  }),
];
