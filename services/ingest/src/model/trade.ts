import { storedDecimal } from '../values/stored-values.js';
import type { Side } from './feed-message.js';
import type { NamedAltered } from '../values/altered.js';
import { isProbability } from '../values/decimal.js';
import { millionthsText, one, readMillionths } from '../values/millionths.js';
import { type DecimalUnit, pointLeftOf } from '../values/decimal-unit.js';

/** A trade as the archive stores it. Prices are of the yes side, times integer microseconds, one of the two is known. */
export interface Trade {
  readonly ticker: string;
  /** The venue's id. A trade with the id of another one of its market is the same trade. */
  readonly id: string;
  readonly venueUs: number | null;
  /** When the recorder received it. Null for a dump. */
  readonly receivedUs: number | null;
  readonly price: string;
  readonly size: string;
  /** The side that the taker bought. */
  readonly takerSide: Side | null;
}

/** What a source states about a trade, unchecked. */
export interface StatedTrade {
  readonly ticker: string | null;
  readonly id: string | null;
  readonly venueUs: number | null;
  readonly receivedUs: number | null;
  readonly price: string | null;
  /** Of the price. Default dollars. */
  readonly unit?: DecimalUnit;
  /** The side whose price it is. Default yes. */
  readonly priceOf?: Side;
  readonly size: string | null;
  readonly sizeUnit?: DecimalUnit;
  /** A text other than a side is refused, null is unknown. */
  readonly takerSide: string | null;
}

export interface ReadTrade {
  readonly trade: Trade;
  /** Values stored with fewer digits than the source has. */
  readonly altered: readonly NamedAltered[];
}

const decimals = 6;
const idBytesMax = 255;

/** The trade, or why it is refused, one of a few texts. */
export const readTrade = (stated: StatedTrade): ReadTrade | string => {
  const { ticker, id, venueUs, receivedUs, unit = 'dollars', sizeUnit = 'dollars', takerSide } = stated;
  if (ticker === null || ticker === '') return tradeReasons.noTicker;
  if (id === null || id === '') return tradeReasons.noId;
  if (Buffer.byteLength(id) > idBytesMax) return tradeReasons.longId;
  if (venueUs === null && receivedUs === null) return tradeReasons.noTime;
  if (takerSide !== null && takerSide !== 'yes' && takerSide !== 'no') return tradeReasons.side;
  const altered: NamedAltered[] = [];
  const stored = (name: string, text: string | null, pointLeft: number): string | null =>
    storedDecimal(text ?? '', { pointLeft, decimals, onAltered: (change) => void altered.push({ ...change, name }) });
  const given = stored('price', stated.price, pointLeftOf(unit));
  if (given === null || !isProbability(given)) return tradeReasons.price;
  const size = stored('size', stated.size, pointLeftOf(sizeUnit));
  if (size === null || size === '0' || size.startsWith('-')) return tradeReasons.size;
  const price = stated.priceOf === 'no' ? opposite(given) : given;
  return { trade: { ticker, id, venueUs, receivedUs, price, size, takerSide }, altered };
};

/** The price of the other side. */
const opposite = (price: string): string => millionthsText(one - (readMillionths(price) ?? 0));

export const otherSide = (side: Side): Side => (side === 'yes' ? 'no' : 'yes');

export const tradeReasons = {
  noTicker: 'no ticker',
  noId: 'no trade id',
  longId: 'the trade id is longer than 255 bytes',
  noTime: 'no time',
  price: 'price: not a price from 0 to 1',
  size: 'size: not a number above 0',
  side: 'taker_side: neither yes nor no',
} as const;
