import { isObject, type JsonObject } from '../sources/source.js';
import { venues } from './venues.js';
import type { TradeFormat } from './trade-format.js';

const formats: readonly TradeFormat[] = Object.values(venues).flatMap((venue) => venue.tradeFormats);

/** The format of a record of a venue's dump of trades, or undefined if no format matches. */
export const tradeFormatOf = (record: JsonObject): TradeFormat | undefined =>
  formats.find((format) => format.is(record));

/** The format of an answer whose list has this key. */
export const tradeFormatOfList = (key: string): TradeFormat | undefined =>
  formats.find(({ listKey }) => listKey === key);

/** The format of a record, or of the records in an answer such as `{"trade": {…}}`. */
export const tradeFormatIn = (record: JsonObject): TradeFormat | undefined =>
  [record, ...Object.values(record).flat().filter(isObject)].map(tradeFormatOf).find((format) => format !== undefined);
