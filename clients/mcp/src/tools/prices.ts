import { counted } from '@almanac/client';
import type { Candle, EventSnapshots } from '@almanac/client';
import { z } from 'zod';
import {
  datedBy,
  defineTool,
  item,
  limitOf,
  list,
  partial,
  partOf,
  ticker,
  timestamp,
  type ToolContext,
} from '../tool.js';

const gapsMax = 20;

const columns = [
  'start_ts',
  'mid_open',
  'mid_high',
  'mid_low',
  'mid_close',
  'yes_bid',
  'yes_ask',
  'price',
  'volume',
  'gap_s',
] as const;

export const getCandles = defineTool({
  name: 'get_candles',
  title: 'Get candles',
  description:
    "Candles of a market, as rows of columns. Without period_s: the whole window in limit candles. Bid, ask, price: the last of the period. gap_s: seconds not recorded. venue 1: the venue's own.",
  input: z.strictObject({
    ticker,
    start_ts: timestamp.optional(),
    end_ts: timestamp.optional(),
    period_s: z.int().min(1).max(86_400).optional(),
    limit: z.int().min(10).max(500).default(50),
  }),
  output: z.object({
    ...partial,
    period_s: z.number(),
    columns: z.array(z.string()),
    candles: z.array(z.array(z.number().nullable())),
    gaps: list,
  }),
  run: async (input, context) => {
    const { ticker: id, limit, period_s, ...window } = input;
    const size = period_s === undefined ? { points: limit } : { period_s };
    const answer = await context.almanac.markets.candles(id, { ...window, ...size }, context.call).firstPage();
    const candles = answer.candles.slice(0, limit);
    const hasVenue = candles.some(({ source }) => source !== undefined);
    const nextTs = answer.candles[limit]?.start_ts ?? (answer.has_more ? answer.next_start_ts : null);
    return {
      data: {
        ...datedBy(answer, context),
        ...partOf(nextTs === null ? null : { ...input, start_ts: nextTs, period_s: answer.period_s }),
        period_s: answer.period_s,
        columns: hasVenue ? [...columns, ...venueColumns] : [...columns],
        candles: candles.map((candle) => (hasVenue ? [...rowOf(candle), ...venueCells(candle)] : rowOf(candle))),
        gaps: answer.gaps.slice(0, gapsMax),
      },
      text:
        `${counted(candles.length, 'candle')} of ${answer.period_s} s of ${id}.` +
        (typeof answer.notice === 'string' ? ` ${answer.notice}` : '') +
        (answer.gaps.length > gapsMax ? ` The first ${gapsMax} of ${answer.gaps.length} gaps: see coverage.` : ''),
    };
  },
});

/** Of a market with venue candles. 1 in `venue`: the candle is the venue's own. */
const venueColumns = ['venue', 'open_interest'] as const;

const venueCells = ({ source, open_interest }: Candle): (number | null)[] => [
  source === 'venue' ? 1 : 0,
  open_interest ?? null,
];

const rowOf = ({ start_ts, mid, yes_bid, yes_ask, price, volume, gap_s }: Candle): (number | null)[] => [
  start_ts,
  mid.open,
  mid.high,
  mid.low,
  mid.close,
  yes_bid.close,
  yes_ask.close,
  price.close,
  volume,
  gap_s,
];

export const eventOnOneClock = defineTool({
  name: 'event_on_one_clock',
  title: 'An event on one clock',
  description:
    'Best bids and asks of all markets of an event at the same times, as columns. Null: unknown, or in a gap. limit: times.',
  input: z.strictObject({
    event: ticker,
    step_ms: z.int().min(100).max(86_400_000).default(60_000),
    start_ts: timestamp.optional(),
    end_ts: timestamp.optional(),
    limit: limitOf(200, 20),
    markets: limitOf(50, 10),
    cursor: z.string().max(1_000).optional(),
  }),
  output: z.object({ ...partial, ts: z.array(z.number()), markets: list, markets_n: z.number() }),
  run: async (input, context) => {
    const { event, step_ms, limit, cursor } = input;
    const { start_ts, end_ts } = await windowOf(input, context);
    const stopTs = Math.min(end_ts, microseconds(start_ts + (limit * step_ms) / 1_000));
    const query = { step_ms, start_ts, end_ts: stopTs, limit: input.markets, cursor };
    const answer = await context.almanac.events.snapshots(event, query, context.call).firstPage();
    const { ts, markets, markets_n } = answer;
    return {
      data: {
        ...datedBy(answer, context),
        ...partOf(nextOf({ ...input, start_ts, end_ts }, answer, stopTs)),
        ts,
        markets: markets.map(({ ticker: id, yes_best_bid, yes_best_ask }) => ({
          ticker: id,
          yes_best_bid,
          yes_best_ask,
        })),
        markets_n,
      },
      text: `${markets.length} of ${counted(markets_n, 'market')} of ${event} at ${counted(ts.length, 'time')}.`,
    };
  },
});

interface Window {
  readonly start_ts: number;
  readonly end_ts: number;
}

const microseconds = (ts: number): number => Math.round(ts * 1e6) / 1e6;

/** Missing bounds are the open and the close of the event, or the present of the answer. Ends are exclusive. */
const windowOf = async (
  { event, ...given }: { event: string; start_ts?: number | undefined; end_ts?: number | undefined },
  context: ToolContext,
): Promise<Window> => {
  const { start_ts, end_ts } = given;
  if (start_ts !== undefined && end_ts !== undefined) return { start_ts, end_ts };
  const answer = await context.almanac.events.get(event, { limit: 1 }, context.call);
  const { open_ts, close_ts } = answer.event;
  const presentTs = answer.as_of ?? Math.floor(Date.now() / 1_000);
  const lastTs = Math.min(close_ts ?? presentTs, presentTs);
  return { start_ts: start_ts ?? open_ts ?? lastTs - 3_600, end_ts: end_ts ?? microseconds(lastTs + 1e-6) };
};

/** First the other markets at the same times, then all markets at the next times. */
const nextOf = (
  input: Window,
  { next_cursor, next_start_ts }: EventSnapshots,
  stopTs: number,
): Readonly<Record<string, unknown>> | null => {
  if (next_cursor !== null) return { ...input, cursor: next_cursor };
  const startTs = next_start_ts ?? stopTs;
  return startTs < input.end_ts ? { ...input, start_ts: startTs, cursor: undefined } : null;
};

const depthMax = 200;

export const bookAt = defineTool({
  name: 'book_at',
  title: 'Order book at a time',
  description:
    'The last order book at or before at_ts (default: now), as [price, size], best first. Null: in a gap, or not in the plan.',
  input: z.strictObject({ ticker, at_ts: timestamp.optional(), depth: limitOf(depthMax, 10) }),
  output: z.object({ ...partial, book: item }),
  run: async (input, context) => {
    const { ticker: id, at_ts, depth } = input;
    // One level more shows whether levels are left out.
    const answer = await context.almanac.markets.book(id, { at_ts, depth: depth + 1 }, context.call);
    const { as_of: _, notices: __, orderbook_yes, orderbook_no, ...facts } = answer;
    const deepest = Math.max(orderbook_yes?.length ?? 0, orderbook_no?.length ?? 0);
    const isCut = deepest > depth;
    const next = { ...input, at_ts: facts.at_ts, depth: Math.min(depthMax, depth * 5) };
    return {
      data: {
        ...datedBy(answer, context),
        ...partOf(isCut && depth < depthMax ? next : null, isCut),
        book: {
          ...facts,
          orderbook_yes: orderbook_yes?.slice(0, depth) ?? null,
          orderbook_no: orderbook_no?.slice(0, depth) ?? null,
        },
      },
      text: textOf(answer, isCut && depth === depthMax),
    };
  },
});

const textOf = (
  {
    ticker: id,
    in_gap,
    include_book,
    notice,
    ts,
  }: { ticker: string; in_gap: boolean; include_book: boolean; notice?: string | null; ts: number | null },
  isTooDeep: boolean,
): string => {
  if (in_gap) return `The recording of ${id} has a gap at this time.`;
  if (!include_book) return notice ?? 'The plan does not cover order books.';
  if (ts === null) return `No book of ${id} is stored at or before this time.`;
  return isTooDeep
    ? 'The book has more levels: create an export with the stream l2.'
    : `The book of ${id} at ${new Date(ts * 1_000).toISOString()}.`;
};
