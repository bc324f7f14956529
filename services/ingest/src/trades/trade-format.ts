import type { MarketFact } from '../mapping/market-reader.js';
import type { JsonObject } from '../sources/source.js';
import type { ReadTrade } from './trade.js';

/** One form of a venue's dumps of trades, recognised by the keys of its records. */
export interface TradeFormat {
  readonly name: string;
  /** The key of the list in the venue's answers. It names an answer without records. */
  readonly listKey?: string;
  readonly is: (record: JsonObject) => boolean;
  /** The trade and what its record says about its market, or why it is refused. */
  readonly read: (record: JsonObject) => (ReadTrade & { readonly fact: MarketFact }) | string;
}
