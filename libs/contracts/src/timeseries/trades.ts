import { z } from 'zod';
import { asOfEcho } from '../requests/as-of.js';
import { market } from '../catalog/catalog.js';
import { cursorPage } from '../requests/paging.js';

const number = z.number().nullable();

/** A trade as the API shows it. */
export const trade = z
  .object({
    ts: z.number().meta({
      description:
        'Time of the trade, in Unix seconds: when the recorder received it. If no recorder did, the time at the venue',
      examples: [1771993365.058297],
    }),
    venue_ts: number.meta({
      description: 'Time of the trade at the venue, in Unix seconds',
      examples: [1771993365.05],
    }),
    trade_id: z.string().meta({
      description: 'Id of the trade at the venue',
      examples: ['961535f3-d80f-5462-e91d-88d4fe6db285'],
    }),
    price: z.number().meta({ description: 'Price on the yes side, as a fraction of 1', examples: [0.06] }),
    size: z.number().meta({ description: 'Number of contracts', examples: [93.51] }),
    taker_side: z
      .enum(['yes', 'no'])
      .nullable()
      .meta({
        description: 'Side that the taker bought. Selling yes is buying no. Null if the source has no side',
        examples: ['yes'],
      }),
  })
  .meta({ id: 'Trade', description: 'A trade of a market.' });
export type Trade = z.infer<typeof trade>;

const tradeOrders = ['asc', 'desc'] as const;
export const tradeOrder = z.enum(tradeOrders);
export type TradeOrder = z.infer<typeof tradeOrder>;

const bound = (which: string, example: number) =>
  number.meta({
    description: `${which}, in Unix seconds. Null without a bound`,
    examples: [example],
  });

export const tradesResponse = z
  .object({
    ticker: market.shape.ticker,
    series: market.shape.series,
    start_ts: bound('Start of the window (inclusive)', 1771992900),
    end_ts: bound('End of the window (exclusive)', 1771993800),
    order: tradeOrder.meta({ description: '`asc` for oldest first, `desc` for newest first', examples: ['asc'] }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of trades in this answer', examples: [450] }),
    trades: z.array(trade).meta({ description: 'Trades by time, then by id' }),
    ...cursorPage,
    ...asOfEcho,
  })
  .meta({ id: 'TradesResponse' });

/** The columns of a stored batch of trades, in the order of its tab-separated values. */
export const tradeColumns = [
  'ticker',
  'series',
  'trade_id',
  'venue_ts',
  'received_ts',
  'price',
  'size',
  'taker_side',
] as const;
