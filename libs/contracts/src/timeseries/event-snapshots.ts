import { z } from 'zod';
import { asOf, asOfEcho } from '../requests/as-of.js';
import { market } from '../catalog/catalog.js';
import { numberType } from '../requests/numbers.js';
import { cursor, cursorPage, limitOf } from '../requests/paging.js';
import { tableForm } from '../requests/read-forms.js';
import { contract } from '../requests/rpc.js';

const number = z.number().nullable();

const column = (description: string) =>
  z.array(number).meta({ description: `${description}, one for each time of \`ts\``, examples: [[0.51, null]] });

/** Grid times of one answer. */
export const gridTimesMax = 5_000;
const gridMarketsMax = 100;

export const eventSnapshotsResponse = z
  .object({
    event_ticker: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
    start_ts: z.number().meta({ description: 'Start of the window (inclusive), in Unix seconds' }),
    end_ts: z.number().meta({ description: 'End of the window (exclusive), in Unix seconds' }),
    step_ms: z
      .int()
      .min(1)
      .meta({ description: 'Distance of the grid times in milliseconds', examples: [1_000] }),
    fill: z.enum(['previous', 'none']).meta({ description: '`fill` of the request', examples: ['previous'] }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of markets in this answer', examples: [1] }),
    markets_n: z
      .int()
      .min(0)
      .meta({ description: 'Number of markets of the event', examples: [1] }),
    ...cursorPage,
    next_start_ts: number.meta({
      description: '`start_ts` of the next times of these markets, in Unix seconds. Null at the end of the window',
      examples: [null],
    }),
    ts: z.array(z.number()).meta({
      description: 'Grid times: multiples of the step since the epoch, in Unix seconds',
      examples: [[1771992900]],
    }),
    markets: z
      .array(
        z
          .object({
            ticker: market.shape.ticker,
            yes_best_bid: column('Best bids on the yes side'),
            yes_best_ask: column('Best asks on the yes side'),
            age_ms: column('Ages of the observations in milliseconds, null if unknown'),
          })
          .meta({ id: 'MarketColumns', description: 'Values of a market at the grid times.' }),
      )
      .meta({ description: 'Markets in the order of `GET /events/{event_id}`' }),
    ...asOfEcho,
  })
  .meta({ id: 'EventSnapshotsResponse' });

export const eventSnapshotsRpc = {
  /** The markets come from the catalog, a page at a time, with its cursors. */
  eventSnapshots: contract({
    service: 'timeseries',
    method: 'event-snapshots',
    kind: 'query',
    input: z.object({
      event_id: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
      step_ms: z
        .int()
        .min(100)
        .max(86_400_000)
        .default(1_000)
        .meta({ description: 'Distance of the grid times in milliseconds', examples: [1_000] }),
      start_ts: z
        .number()
        .nullish()
        .meta({ description: 'Start of the window (inclusive), in Unix seconds', examples: [1771992900] }),
      end_ts: z
        .number()
        .nullish()
        .meta({ description: 'End of the window (exclusive), in Unix seconds', examples: [1771993800] }),
      fill: z
        .enum(['previous', 'none'])
        .default('previous')
        .meta({
          description:
            'With `previous`, a grid time has the last values at or before it. With `none`, only those of the step that ends with it',
          examples: ['previous'],
        }),
      limit: limitOf(gridMarketsMax, gridMarketsMax),
      cursor,
      numbers: numberType.meta({
        description: 'Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`',
        examples: ['decimal'],
      }),
      format: tableForm,
      as_of: asOf,
    }),
    output: eventSnapshotsResponse,
    errors: ['event_not_found', 'invalid_cursor', 'invalid_window', 'as_of_in_future'],
    timeoutMs: 15_000,
  }),
};
