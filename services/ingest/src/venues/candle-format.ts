import type { MarketFact } from '../model/market-fact.js';
import type { JsonObject } from '../sources/source.js';
import type { StatedCandle } from '../model/venue-candle.js';

/** What the document or the file around a candle says about it. */
export interface CandleContext {
  /** Null if only the name of the file can tell. Empty if the document has candles of several markets and does not tell. */
  readonly ticker: string | null;
  readonly periodS: number | null;
  readonly receivedUs: number | null;
}

/** A candle's record, and what is around it. */
export interface CandleRecord {
  readonly record: JsonObject;
  readonly context: CandleContext;
}

/** The forms of a venue's candles, recognised by their keys. */
export interface CandleFormat {
  readonly name: string;
  /** The candles of a document, or null if it is none of this venue. */
  readonly candlesIn: (document: JsonObject, context: CandleContext) => readonly CandleRecord[] | null;
  readonly read: (given: CandleRecord) => StatedCandle;
  readonly factOf: (ticker: string) => MarketFact;
  /** The market that a name of a file or folder states. Null without one. */
  readonly tickerIn: (name: string) => string | null;
  /** The periods that the venue has, in ascending order. */
  readonly periods: readonly number[];
}
