import { z } from 'zod';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { market } from '../catalog/catalog.js';
import { numberType } from '../requests/numbers.js';
import { page } from '../requests/paging.js';
import { tableForm } from '../requests/read-forms.js';
import { contract } from '../requests/rpc.js';

const number = z.number().nullable();
const total = z.int().min(0);

const open = number.meta({ description: 'First value in the period', examples: [0.48] });
const high = number.meta({ description: 'Highest value in the period', examples: [0.53] });
const low = number.meta({ description: 'Lowest value in the period', examples: [0.47] });
const close = number.meta({ description: 'Last value in the period', examples: [0.51] });

const range = (id: string, description: string) => z.object({ open, high, low, close }).meta({ id, description });

export const candle = z
  .object({
    ticker: market.shape.ticker,
    start_ts: z
      .number()
      .meta({ description: 'Start of the period (inclusive), in Unix seconds', examples: [1771992900] }),
    end_ts: z.number().meta({ description: 'End of the period (exclusive), in Unix seconds', examples: [1771992960] }),
    yes_bid: range('CandleBid', 'Best bids on the yes side, as fractions of 1. Null without one.'),
    yes_ask: range('CandleAsk', 'Best asks on the yes side, as fractions of 1. Null without one.'),
    mid: range('CandleMid', 'Middles of the best bid and ask of observations that have both. Null without one.'),
    coin_price: range('CandleCoin', 'Coin prices in USD. Null without one.'),
    price: z
      .object({
        open,
        high,
        low,
        close,
        mean: number.meta({
          description: 'Mean price of the trades, weighted by size and rounded to 6 decimals',
          examples: [0.502],
        }),
        previous: number.meta({
          description: 'Price of the last trade before the period, also if it was before the window. Null without one',
          examples: [0.48],
        }),
      })
      .meta({
        id: 'CandlePrice',
        description: 'Prices of the trades in the period, as fractions of 1. Null without trades, except `previous`.',
      }),
    volume: number.meta({
      description: 'Traded contracts. Above 0 exactly if there is a price. Null if no trades of the market are stored',
      examples: [120],
    }),
    trades: total
      .nullable()
      .meta({ description: 'Number of trades. Null if no trades of the market are stored', examples: [7] }),
    observations: total.meta({
      description: 'Number of stored observations in the period. 0 if it has only trades, or with `fill=previous`',
      examples: [60],
    }),
    gap_s: z
      .number()
      .min(0)
      .meta({ description: 'Seconds of the period in which the recording is incomplete', examples: [0] }),
    source: z
      .enum(['recorded', 'venue'])
      .optional()
      .meta({
        description:
          '`recorded` if the candle is of stored observations and trades, `venue` if it is of the candles of the venue. This field and the next ones are absent if no venue candles of the market are stored',
        examples: ['venue'],
      }),
    venue: z
      .string()
      .nullish()
      .meta({ description: 'Whose candles a `venue` candle is made of. Otherwise null', examples: ['kalshi'] }),
    venue_period_s: z
      .int()
      .nullish()
      .meta({
        description: 'Period in seconds of the venue candles that a `venue` candle is made of. Otherwise null',
        examples: [60],
      }),
    open_interest: number.optional().meta({
      description: 'Open contracts at the end of the period, as the venue states them. Null in a `recorded` candle',
      examples: [12432],
    }),
  })
  .meta({
    id: 'Candle',
    description:
      'Observations and trades of a period, summarised. Those at or after the close or settlement never count. In a period without any, whole candles of the venue, if they are stored.',
  });

const head = {
  start_ts: z.number().meta({
    description: 'Start of the first period (inclusive), in Unix seconds. Never later than the requested one',
    examples: [1771992900],
  }),
  end_ts: z.number().meta({
    description: 'Later observations and trades are not in the candles. In Unix seconds (exclusive)',
    examples: [1771993800],
  }),
  period_s: z
    .int()
    .min(1)
    .meta({ description: 'Length of a period in seconds', examples: [60] }),
  count: total.meta({ description: 'Number of candles in this answer', examples: [15] }),
  ...page,
  next_start_ts: number.meta({
    description: '`start_ts` of the next page, in Unix seconds. Null on the last page',
    examples: [1771993800],
  }),
  candles: z.array(candle).meta({ description: 'Candles by market and period, oldest first' }),
  ...asOfEcho,
  notice: z
    .string()
    .nullish()
    .meta({ description: 'Which periods the candles of the venue have, if none of them make up the requested one' }),
};

export const candlesResponse = z.object({ ticker: market.shape.ticker, ...head }).meta({ id: 'CandlesResponse' });
const candleBatchResponse = z.object(head).meta({ id: 'CandleBatchResponse' });

export const candlesMax = 5_000;
const candleTickersMax = 100;
/** Candles of all markets of one answer. */
export const batchCandlesMax = 20_000;

const selection = {
  start_ts: z
    .number()
    .nullish()
    .meta({
      description: 'Start of the window (inclusive), in Unix seconds. The candles begin with the period that it is in',
      examples: [1771992900],
    }),
  end_ts: z
    .number()
    .nullish()
    .meta({ description: 'End of the window (exclusive), in Unix seconds', examples: [1771993800] }),
  period_s: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .meta({
      description:
        'Length of a period in seconds. It must divide a day. Without it and `points`: 60, or the shortest period of the venue where only its candles are stored',
      examples: [60],
    }),
  points: z
    .int()
    .min(10)
    .max(candlesMax)
    .optional()
    .meta({
      description:
        'Maximum number of candles of a market, for charts: the whole window in the shortest periods that fit. Highs and lows are those of all observations and trades. Where only candles of the venue are stored, a multiple of their shortest period',
      examples: [500],
    }),
  fill: z
    .enum(['none', 'previous'])
    .default('none')
    .meta({
      description:
        'What a period without observations gets: no candle unless it has trades, or with `previous` the last values before it. Values are null after a gap. A trade is never repeated, and no period begins in the future',
      examples: ['none'],
    }),
  numbers: numberType.meta({
    description: 'Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`',
    examples: ['decimal'],
  }),
  format: tableForm,
  as_of: asOf,
};

export const candleRpc = {
  candles: contract({
    service: 'timeseries',
    method: 'candles',
    kind: 'query',
    input: z.object({ ticker: market.shape.ticker, ...selection }),
    output: candlesResponse,
    errors: ['market_not_found', 'invalid_window', 'invalid_period', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),
  candleBatch: contract({
    service: 'timeseries',
    method: 'candle-batch',
    kind: 'query',
    input: z.object({
      tickers: z
        .array(z.string().min(1))
        .min(1)
        .max(candleTickersMax)
        .meta({ description: 'Tickers of markets. Duplicates count once', examples: [['KXBTC15M-26FEB242330-30']] }),
      ...selection,
    }),
    output: candleBatchResponse,
    errors: ['market_not_found', 'invalid_window', 'invalid_period', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),
};
