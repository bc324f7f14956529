import type { MarketFact } from '../mapping/market-reader.js';
import { batchedMarket, type BatchedMarket } from './observation-batch.js';

interface SeenPrice {
  readonly price: string;
  readonly us: number;
}

export type MarketOutcome = 'created' | 'changed' | 'unchanged';

/** A market of an observation file, and what its rows say about it. */
export interface SeenMarket {
  readonly fact: MarketFact;
  /** The first line that named it. */
  readonly line: number;
  readonly batched: BatchedMarket;
  readonly openUs: number | null;
  readonly closeUs: number | null;
  /** The last cell of each repeated field, so that an equal cell costs one comparison. */
  readonly repeatedCells: string[];
  readonly repeatedValues: string[];
  /** False once the market book has dropped it. */
  open: boolean;
  first: SeenPrice | null;
  last: SeenPrice | null;
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
  first: null,
  last: null,
  outcome: null,
});

/** Remembers the first and last coin price while the market was open. Of two in one microsecond the later counts. */
export const seePrice = (market: SeenMarket, price: string, us: number): void => {
  const { openUs, closeUs, first, last } = market;
  if (openUs === null || closeUs === null || us < openUs || us > closeUs) return;
  if (first === null || us <= first.us) market.first = { price, us };
  if (last === null || us >= last.us) market.last = { price, us };
};

/**
 * First and last price from the observations. With their times, the catalogue keeps the earliest first and the latest
 * last price in any file order. A price that a source states itself overrides both.
 */
export const derivedFact = (market: SeenMarket): MarketFact | null =>
  market.first === null || market.last === null
    ? null
    : { kind: 'market', ticker: market.fact.ticker, first_price: market.first, last_price: market.last };
