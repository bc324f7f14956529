import { z } from 'zod';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { market } from '../catalog/catalog.js';
import { coverageGap, spanBasis } from './coverage.js';
import { cursor, cursorPage, limitOf } from '../requests/paging.js';
import { tableForm } from '../requests/read-forms.js';
import { contract } from '../requests/rpc.js';

const number = z.number().nullable();
const total = z.int().min(0);

/** The most UTC days of one request, the most markets that it may be about, and the most gaps of a market in JSON. */
export const qualityDaysMax = 31;
export const qualityMarketsMax = 10_000;
export const qualityGapsMax = 100;
/** The most markets whose spans are in memory at the same time, and the most tickers of a statement. */
export const coverageMarketsMax = 1_000;

/** What the recording says about the books of a market. */
const bookQuality = z.enum(['verified', 'unverifiable', 'contradicted']);
export type BookQuality = z.output<typeof bookQuality>;

const covered = {
  covered_s: number.meta({
    description:
      'Seconds of `expected_s` with a complete recording. Null if no recording of the market states its completeness',
    examples: [897.25],
  }),
  expected_s: number.meta({
    description:
      'Seconds between open and close in the range, until now for a live market. Null if open or close is unknown',
    examples: [900],
  }),
  covered_share: number.meta({ description: '`covered_s` as a share of `expected_s`', examples: [0.996944] }),
};
const gapFigures = {
  gaps_n: total.meta({ description: 'Number of gaps that reach into the range', examples: [1] }),
  gap_s: z
    .number()
    .min(0)
    .meta({ description: 'Seconds of the gaps in the range. A gap without an end lasts until now', examples: [2.75] }),
  longest_gap_s: z
    .number()
    .min(0)
    .meta({ description: 'Seconds of the longest gap in the range. 0 without gaps', examples: [2.75] }),
};

const marketQuality = z
  .object({
    ticker: market.shape.ticker,
    event_ticker: market.shape.event_ticker,
    title: market.shape.title,
    status: market.shape.status,
    open_ts: market.shape.open_ts,
    close_ts: market.shape.close_ts,
    ...covered,
    ...gapFigures,
    gaps: z
      .array(
        coverageGap
          .extend({
            basis: spanBasis.nullable().meta({
              description:
                '`basis` of the recorded span that ends where the gap begins. Null without such a span, or if the recording does not say',
              examples: ['sequence'],
            }),
          })
          .meta({ id: 'QualityGap', description: 'A gap, and on what the span before it rests.' }),
      )
      .meta({
        description: `The gaps that reach into the range, oldest first, with the times of the preview. At most the first ${qualityGapsMax}`,
      }),
    rows: total.meta({ description: 'Number of stored observations in the range', examples: [900] }),
    books: total.meta({ description: 'Number of these with an order book', examples: [900] }),
    trades: total.nullable().meta({
      description: 'Number of trades in the range. Null if no trades of the market are stored',
      examples: [120],
    }),
    first_ts: number.meta({
      description: 'Time of the first observation in the range, in Unix seconds',
      examples: [1771992901.5],
    }),
    last_ts: number.meta({
      description: 'Time of the last observation in the range, in Unix seconds',
      examples: [1771993799.8],
    }),
    book_quality: bookQuality.nullable().meta({
      description:
        '`verified` if all recorded spans of books in the range rest on numbered messages or on later whole books. `contradicted` if the recording itself contradicts a book. `unverifiable` otherwise. Null without books',
      examples: ['verified'],
    }),
  })
  .meta({ id: 'MarketQuality', description: 'What is stored of a market in a range of days, and what is missing.' });
export type MarketQuality = z.output<typeof marketQuality>;

const periodQuality = z
  .object({
    start_ts: z
      .number()
      .meta({ description: 'Start of the day or hour (inclusive), in Unix seconds', examples: [1771977600] }),
    end_ts: z
      .number()
      .meta({ description: 'End of the day or hour (exclusive), in Unix seconds', examples: [1772064000] }),
    markets_n: total.meta({ description: 'Number of markets that were open', examples: [96] }),
    markets_with_gaps_n: total.meta({ description: 'Number of these with a gap', examples: [2] }),
    covered_s: covered.covered_s.meta({
      description:
        'Seconds of `expected_s` with a complete recording. Null if no recording of these markets states its completeness',
      examples: [86_100.5],
    }),
    expected_s: z
      .number()
      .min(0)
      .meta({
        description:
          'Seconds between open and close of all markets of which both are known, until now for live markets. Those of which no recording states its completeness count too',
        examples: [86_400],
      }),
    covered_share: covered.covered_share,
    gaps_n: gapFigures.gaps_n.meta({
      description: 'Number of gaps that reach into the day or hour, of all markets',
      examples: [3],
    }),
    gap_s: gapFigures.gap_s.meta({ description: 'Seconds of these gaps in the day or hour', examples: [299.5] }),
    rows: total.meta({ description: 'Number of stored observations of all markets', examples: [86_100] }),
    trades: total.meta({ description: 'Number of stored trades of all markets', examples: [11_520] }),
  })
  .meta({ id: 'PeriodQuality', description: 'What is stored of markets in a day or hour, and what is missing.' });
export type PeriodQuality = z.output<typeof periodQuality>;

export const qualityResponse = z
  .object({
    by: z.enum(['market', 'day', 'hour']).meta({ description: '`by` of the request', examples: ['market'] }),
    from: z.string().meta({ description: 'First UTC day, as YYYY-MM-DD', examples: ['2026-02-24'] }),
    to: z.string().meta({ description: 'Last UTC day, as YYYY-MM-DD', examples: ['2026-02-24'] }),
    start_ts: z.number().meta({ description: 'Start of the range (inclusive), in Unix seconds' }),
    end_ts: z.number().meta({
      description: 'End of the range (exclusive), in Unix seconds: that of the last day, or now if it is not over',
    }),
    markets_n: total.meta({ description: 'Number of markets that were open in the range', examples: [96] }),
    markets_with_gaps_n: total.meta({ description: 'Number of these with a gap in the range', examples: [2] }),
    count: total.meta({ description: 'Number of markets, days or hours in this answer', examples: [96] }),
    ...cursorPage,
    markets: z.array(marketQuality).meta({ description: 'With `by=market`. Otherwise empty' }),
    periods: z.array(periodQuality).meta({ description: 'With `by=day` or `by=hour`. Otherwise empty' }),
    ...asOfEcho,
  })
  .meta({ id: 'QualityResponse' });

const oneOf = ' Send exactly one of `series`, `event`, `category` and `venue`';
const target = (description: string, example: string) =>
  z
    .string()
    .nullish()
    .meta({ description: `${description}.${oneOf}`, examples: [example] });
const day = (description: string) =>
  z.iso
    .date()
    .optional()
    .meta({ description, examples: ['2026-02-24'] });

export const qualityRpc = {
  /** The catalog says which markets were open, and this service what is stored of them. */
  quality: contract({
    service: 'timeseries',
    method: 'quality',
    kind: 'query',
    input: z.object({
      series: target('Markets of the series with this id', 'KXBTC15M'),
      event: target('Markets of the event with this ticker', 'KXBTC15M-26FEB242330'),
      category: target('Markets in the category with this slug', 'crypto'),
      venue: target('Markets of the venue with this id. Markets whose source states no venue are in none', 'kalshi'),
      from: day('First UTC day, as YYYY-MM-DD. Default: `to`, or yesterday without both'),
      to: day(
        `Last UTC day, as YYYY-MM-DD. Default: \`from\`, or yesterday without both. At most ${qualityDaysMax} days from \`from\` to \`to\``,
      ),
      by: z
        .enum(['market', 'day', 'hour'])
        .default('market')
        .meta({ description: 'What an item of the answer is about', examples: ['market'] }),
      sort: z
        .enum(['worst', 'time'])
        .default('worst')
        .meta({
          description:
            '`worst` for the smallest `covered_share` first, or `time` for the earliest open, day or hour first. Where nothing states completeness, the share of the time without gaps counts',
          examples: ['worst'],
        }),
      has_gaps: z
        .boolean()
        .optional()
        .meta({ description: 'Return only items with gaps, or with `false` only those without', examples: [true] }),
      limit: limitOf(200, 100),
      cursor,
      format: tableForm,
      as_of: asOf,
    }),
    output: qualityResponse,
    errors: ['invalid_input', 'invalid_window', 'invalid_cursor', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),

  /** From open to close of markets, in their order: how much is covered, and whether there is a gap. */
  coverageOfMarkets: contract({
    service: 'timeseries',
    method: 'coverage-of-markets',
    kind: 'query',
    input: z.object({ tickers: z.array(z.string()).max(coverageMarketsMax), as_of: asOf }),
    output: z.object({
      as_of: z.number().optional(),
      markets: z.array(z.object({ covered_share: number, has_gaps: z.boolean() })),
    }),
    errors: ['market_not_found', 'as_of_in_future'],
    timeoutMs: 5_000,
    callers: ['catalog'],
  }),
};
