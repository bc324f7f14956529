import { readTrade, type StatedTrade } from '../../model/trade.js';
import type { TradeFormat } from '../trade-format.js';
import { recordFields, textOf } from '../../sources/record-fields.js';
import type { JsonObject } from '../../sources/source.js';
import { one, readMillionths } from '../../values/millionths.js';
import { isWholeCents } from './kalshi-cents.js';
import { certainFactOf } from './kalshi-ticker.js';

/** Trades of Kalshi's REST API, in the old form (cents, whole contracts) and the new one (`_dollars`, `_fp`). */
export const kalshiTrades: TradeFormat = {
  name: 'kalshi-trades',
  listKey: 'trades',
  is: (record) => ['trade_id', 'ticker', 'created_time'].every((key) => typeof record[key] === 'string'),
  read: (record) => {
    const fields = recordFields(record);
    const ticker = fields.text('ticker');
    const venueUs = fields.time('created_time', 'venue_ts');
    const read = readTrade({ ...kalshiTradeOf(record), ticker, venueUs, receivedUs: null });
    if (typeof read === 'string') return read;
    return { ...read, altered: [...fields.altered, ...read.altered], fact: certainFactOf(read.trade.ticker) };
  },
};

/** The fields that a dump and the websocket share. */
export const kalshiTradeOf = (
  record: JsonObject,
): Pick<StatedTrade, 'id' | 'price' | 'unit' | 'size' | 'takerSide'> => {
  return {
    id: textOf(record['trade_id']),
    ...priceOf(record),
    size: textOf(record['count_fp']) ?? textOf(record['count']),
    takerSide: textOf(record['taker_outcome_side']) ?? textOf(record['taker_side']),
  };
};

/** Old prices are whole cents. Some recorders write dollars in their place, which the price of the other side shows. */
const priceOf = (record: JsonObject): Pick<StatedTrade, 'price' | 'unit'> => {
  const dollars = textOf(record['yes_price_dollars']);
  if (dollars !== null) return { price: dollars, unit: 'dollars' };
  const [yes, no] = [textOf(record['yes_price']), textOf(record['no_price'])];
  const isDollars = yes !== null && no !== null && (readMillionths(yes) ?? 0) + (readMillionths(no) ?? 0) === one;
  if (isDollars) return { price: yes, unit: 'dollars' };
  return { price: isWholeCents(yes) ? yes : null, unit: 'cents' };
};
