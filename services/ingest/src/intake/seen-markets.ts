import type { MarketFact } from '../model/market-fact.js';
import { scaledText } from '../values/scaled.js';
import { decimalsMax } from '../values/stored-values.js';
import { batchedMarket, type BatchedMarket } from './observation-batch.js';

export interface SeenPrice {
  /** A text, or an integer of the last place of a coin price. */
  price: string | number;
  us: number;
}

/** Before the first price. */
const noPrice = (): SeenPrice => ({ price: '', us: -1 });

export type MarketOutcome = 'created' | 'changed' | 'unchanged';

/** A market of an observation file, and what its rows say about it. */
export interface SeenMarket {
  readonly fact: MarketFact;
  readonly line: number;
  readonly batched: BatchedMarket;
  readonly openUs: number | null;
  readonly closeUs: number | null;
  /** The last cell of each repeated field, so that an equal cell costs one comparison. */
  readonly repeatedCells: string[];
  readonly repeatedValues: string[];
  /** False once the market book has dropped it. */
  open: boolean;
  /** The last coin prices at or before the open and the close. */
  readonly atOpen: SeenPrice;
  readonly atClose: SeenPrice;
  outcome: MarketOutcome | 'refused' | null;
}

export const seenMarket = (fact: MarketFact, { repeated, line }: { repeated: number; line: number }): SeenMarket => ({
  fact,
  line,
  batched: batchedMarket(fact.ticker, fact.series ?? null),
  openUs: fact.open_us ?? null,
  closeUs: fact.close_us ?? null,
  repeatedCells: Array.from({ length: repeated }, () => ''),
  repeatedValues: [],
  open: true,
  atOpen: noPrice(),
  atClose: noPrice(),
  outcome: null,
});

/** Remembers the last coin price up to the open and up to the close. Of two in one microsecond the later counts. */
export const seePrice = (market: SeenMarket, price: SeenPrice['price'], us: number): void => {
  if (market.openUs !== null && us <= market.openUs && us >= market.atOpen.us) put(market.atOpen, price, us);
  if (market.closeUs !== null && us <= market.closeUs && us >= market.atClose.us) put(market.atClose, price, us);
};

/** In place, because it runs for each row. */
const put = (seen: SeenPrice, price: SeenPrice['price'], us: number): void => {
  seen.price = price;
  seen.us = us;
};

/**
 * The coin prices at the open and the close from the observations. With their times, the catalogue keeps the latest of
 * each in any file order. A price that a source states itself overrides both. `before` is the price at the close of the
 * market of the series that ended at this one's open: the rows of a market often begin after its open.
 */
export const derivedFact = (
  { fact, atOpen, atClose }: SeenMarket,
  before: SeenPrice | undefined,
): MarketFact | null => {
  const open = before !== undefined && before.us > atOpen.us ? before : atOpen;
  if (open.us < 0 && atClose.us < 0) return null;
  return {
    kind: 'market',
    ticker: fact.ticker,
    ...(open.us >= 0 && { open_price: statedPrice(open) }),
    ...(atClose.us >= 0 && { last_price: statedPrice(atClose) }),
  };
};

const statedPrice = ({ price, us }: SeenPrice): { price: string; us: number } => ({
  price: typeof price === 'number' ? scaledText(price, decimalsMax.value) : price,
  us,
});
