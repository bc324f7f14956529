import type { Side } from '../../model/feed-message.js';
import { otherSide, readTrade, type ReadTrade } from '../../model/trade.js';
import type { TradeFormat } from '../trade-format.js';
import { recordFields, textOf } from '../../sources/record-fields.js';
import type { JsonObject } from '../../sources/source.js';
import { readTime } from '../../values/time.js';

/**
 * Trades of Polymarket's data API. YES is the first outcome (`outcomeIndex` 0). The trader's wallet and name are not
 * read.
 */
export const polymarketTrades: TradeFormat = {
  name: 'polymarket-trades',
  hasNoId: true,
  is: (record) =>
    ['slug', 'transactionHash', 'side'].every((key) => typeof record[key] === 'string') && 'outcomeIndex' in record,
  read: (record) => {
    const { text } = recordFields(record);
    const ticker = text('slug');
    const outcome = outcomes[text('outcomeIndex') ?? ''];
    if (outcome === undefined) return 'outcomeIndex: neither 0 nor 1';
    const read = polymarketTradeOf(
      { hash: text('transactionHash'), price: text('price'), size: text('size'), side: text('side') },
      { ticker, outcome, venueUs: readTime(text('timestamp') ?? '', 's'), receivedUs: null },
    );
    if (typeof read === 'string') return read;
    const event = text('eventSlug');
    const title = text('title');
    return { ...read, fact: { kind: 'market', ticker: read.trade.ticker, event_ticker: event, title } };
  },
};

const outcomes: Readonly<Record<string, Side>> = { 0: 'yes', 1: 'no' };

interface TradeFields {
  readonly hash: string | null;
  readonly price: string | null;
  readonly size: string | null;
  /** `BUY` or `SELL`, by the taker. */
  readonly side: string | null;
}

interface TradeContext {
  readonly ticker: string | null;
  /** The outcome that was bought or sold. */
  readonly outcome: Side;
  readonly venueUs: number | null;
  readonly receivedUs: number | null;
}

/**
 * The venue's id of a trade is the hash of its transaction, which may settle several. So side, price and size are part
 * of the id. Messages of the feed may have no hash. Their time takes its place.
 */
const polymarketTradeOf = (
  { hash, price, size, side }: TradeFields,
  { outcome, ...context }: TradeContext,
): ReadTrade | string => {
  if (side !== 'BUY' && side !== 'SELL') return 'side: neither BUY nor SELL';
  const takerSide = side === 'BUY' ? outcome : otherSide(outcome);
  const source = hash ?? (context.venueUs === null ? null : String(context.venueUs));
  const read = readTrade({ ...context, id: source, price, size, priceOf: outcome, takerSide });
  if (typeof read === 'string') return read;
  const { trade, altered } = read;
  return { trade: { ...trade, id: `${trade.id}-${takerSide}-${trade.price}-${trade.size}` }, altered };
};

/** A message `last_trade_price` of the market channel. */
export const channelTradeOf = (message: JsonObject, context: Omit<TradeContext, 'venueUs'>): ReadTrade | string =>
  polymarketTradeOf(
    {
      hash: textOf(message['transaction_hash']),
      price: textOf(message['price']),
      size: textOf(message['size']),
      side: textOf(message['side']),
    },
    { ...context, venueUs: readTime(textOf(message['timestamp']) ?? '', 'ms') },
  );
