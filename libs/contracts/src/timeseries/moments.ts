import { z } from 'zod';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { mapNames, market } from '../catalog/catalog.js';
import { numberType } from '../requests/numbers.js';
import { page } from '../requests/paging.js';
import { books, tableForm } from '../requests/read-forms.js';
import { contract } from '../requests/rpc.js';
import { observationFields, sizeShapes, usualFields, usualShapes } from './observation-fields.js';

const number = z.number().nullable();
const ageMs = number.meta({
  description: 'Age of the observation at the requested time, in milliseconds',
  examples: [412.5],
});

/** How a book was recorded: what can have happened between its time and the requested one. */
const bookBasis = z.enum(['every_change', 'sampled', 'snapshot']);
export type BookBasis = z.output<typeof bookBasis>;

export const bookResponse = z
  .object({
    ticker: market.shape.ticker,
    at_ts: z.number().meta({ description: 'Requested time, in Unix seconds', examples: [1771993365.5] }),
    ts: number.meta({
      description: 'Time of the stored book, in Unix seconds. Never later than `at_ts`. Null if the book is unknown',
      examples: [1771993365.058297],
    }),
    venue_ts: number.meta({ description: 'Time of the book at the venue, in Unix seconds', examples: [1771993365.05] }),
    seq: z
      .int()
      .nullable()
      .meta({ description: 'Sequence number from the venue', examples: [4711] }),
    age_ms: ageMs,
    basis: bookBasis.nullable().meta({
      description:
        '`every_change` if every change up to `at_ts` is stored, so this is the exact book at `at_ts`. `sampled` if the recording is complete and the last book of each interval is stored. `snapshot` if no recording states that it is complete',
      examples: ['every_change'],
    }),
    in_gap: z.boolean().meta({
      description: 'Whether the recording is incomplete at `at_ts`, so the book is unknown',
      examples: [false],
    }),
    include_book: z.boolean().meta({ description: 'Whether your plan or an unlock covers the book', examples: [true] }),
    notice: z.string().nullable().meta({ description: 'Why the book is not included. Null if nothing was left out' }),
    ...books,
    ...asOfEcho,
  })
  .meta({ id: 'BookResponse' });

const momentTickersMax = 500;
const momentsMax = 1_000;
export const momentPairsMax = 10_000;

export const marketsAtResponse = z
  .object({
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of pairs of a market and a time', examples: [2] }),
    ...page,
    snapshots: z
      .array(
        z
          .object({
            ticker: market.shape.ticker,
            at_ts: z.number().meta({ description: 'Requested time, in Unix seconds', examples: [1771993365.5] }),
            ts: number.meta({
              description:
                'Time of the last observation at or before `at_ts`, in Unix seconds. Null if there is none, or if a gap follows it',
              examples: [1771993365.058297],
            }),
            age_ms: ageMs,
            ...mapNames(usualFields, (name) => usualShapes[name].optional()),
            ...sizeShapes,
          })
          .meta({ id: 'MarketMoment', description: 'The last observation of a market at a time.' }),
      )
      .meta({ description: 'One item for each pair, by market and time in the order of the request' }),
    ...asOfEcho,
  })
  .meta({ id: 'MarketsAtResponse' });

export const momentRpc = {
  /** Books need the plan or an unlock, as in snapshots. */
  book: contract({
    service: 'timeseries',
    method: 'book',
    kind: 'query',
    input: z.object({
      ticker: market.shape.ticker,
      at_ts: z
        .number()
        .nullish()
        .meta({
          description: 'Time of the book, in Unix seconds. Without it: now, or the end of the data of a closed market',
          examples: [1771993365.5],
        }),
      depth: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .meta({ description: 'Maximum number of levels on each side. Without it: all levels', examples: [10] }),
      numbers: numberType.meta({
        description: 'Type of prices and sizes in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`',
        examples: ['decimal'],
      }),
      format: tableForm,
      as_of: asOf,
    }),
    output: bookResponse,
    errors: ['market_not_found', 'invalid_window', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),
  /** Duplicate tickers and times count once. */
  marketsAt: contract({
    service: 'timeseries',
    method: 'markets-at',
    kind: 'query',
    input: z.object({
      tickers: z
        .array(z.string().min(1))
        .min(1)
        .max(momentTickersMax)
        .meta({ description: 'Tickers of markets', examples: [['KXBTC15M-26FEB242330-30']] }),
      at_ts: z
        .array(z.number())
        .min(1)
        .max(momentsMax)
        .meta({
          description: `Times in any order, in Unix seconds. At most ${momentPairsMax.toLocaleString('en')} pairs of a market and a time`,
          examples: [[1771993365.5, 1771993400]],
        }),
      fields: z
        .array(z.enum(observationFields))
        .min(1)
        .default([...usualFields])
        .meta({
          description: 'Fields of the observations to return. Without it: all but the sizes',
          examples: [['yes_best_bid', 'yes_best_ask']],
        }),
      numbers: numberType.meta({
        description: 'Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`',
        examples: ['decimal'],
      }),
      format: tableForm,
      as_of: asOf,
    }),
    output: marketsAtResponse,
    errors: ['market_not_found', 'invalid_window', 'invalid_input', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),
};
