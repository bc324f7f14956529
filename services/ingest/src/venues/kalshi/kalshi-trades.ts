import { readTrade, type StatedTrade } from '../../model/trade.js';
import type { TradeFormat } from '../trade-format.js';
import { recordFields, textOf } from '../../sources/record-fields.js';
import type { JsonObject } from '../../sources/source.js';
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
  const dollars = textOf(record['yes_price_dollars']);
  return {
    id: textOf(record['trade_id']),
    price: dollars ?? textOf(record['yes_price']),
    unit: dollars === null ? 'cents' : 'dollars',
    size: textOf(record['count_fp']) ?? textOf(record['count']),
    takerSide: textOf(record['taker_outcome_side']) ?? textOf(record['taker_side']),
  };
};
