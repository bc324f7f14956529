import type { MarketFact } from '../model/market-fact.js';
import type { JsonObject } from '../sources/source.js';
import type { FeedOutcomes } from './venue.js';
import type { ReadTrade } from '../model/trade.js';

/** What other files of the import say about trades. */
export interface TradeSources {
  readonly marketOfOutcome: FeedOutcomes['get'];
  readonly blockTimeUs: (block: number) => number | null;
}

/** A record that states nothing new, and why. */
export interface LeftOut {
  readonly leftOut: string;
}

/** One form of a venue's dumps of trades, recognised by the keys of its records. */
export interface TradeFormat {
  readonly name: string;
  /** The key of the list in the venue's answers. It names an answer without records. */
  readonly listKey?: string;
  readonly is: (record: JsonObject) => boolean;
  /** Whether the id is made of what the record states, so that equal trades of a file need a number. */
  readonly hasNoId?: boolean;
  /** The tokens that a record names in place of a market. Absent: its records have tickers. */
  readonly idsIn?: (record: JsonObject) => readonly string[];
  /** The trade and what its record says about its market, or why it is refused. */
  readonly read: (
    record: JsonObject,
    sources: TradeSources,
  ) => (ReadTrade & { readonly fact: MarketFact }) | LeftOut | string;
}
