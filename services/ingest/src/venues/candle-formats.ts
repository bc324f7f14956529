import type { JsonObject } from '../sources/source.js';
import { venues } from './venues.js';
import type { CandleContext, CandleFormat } from './candle-format.js';

const formats: readonly CandleFormat[] = Object.values(venues).flatMap((venue) => venue.candleFormats);

const noContext: CandleContext = { ticker: null, periodS: null, receivedUs: null };

/** The format of a candle, or of the document around candles. Undefined if no format matches. */
export const candleFormatOf = (record: JsonObject): CandleFormat | undefined =>
  formats.find((format) => format.candlesIn(record, noContext) !== null);

/** The format of a table with these columns. */
export const candleFormatOfColumns = (columns: readonly string[]): CandleFormat | undefined =>
  candleFormatOf(Object.fromEntries(columns.map((name) => [name, ''])));
