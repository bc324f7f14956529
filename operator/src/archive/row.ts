import type { Trade } from '@almanac/ingest';

/** Prices are in whole cents, which is exact. */
export interface GeneratedRow {
  readonly ticker: string;
  readonly series: string;
  readonly second: number;
  readonly bidCents: number;
  readonly askCents: number;
  readonly coinPrice: number | null;
  /** Sizes of five levels per side, best first. Null without a book. */
  readonly sizes: readonly number[] | null;
}

const levels = 5;
const price = (cents: number): string => (cents / 100).toFixed(2);

/** Bids one cent apart, from the best down. */
const side = (bestCents: number, sizes: readonly number[]): string => {
  const bids: string[] = [];
  for (let level = 0; level < levels && bestCents - level >= 1; level += 1) {
    bids.push(`(${price(bestCents - level)},${sizes[level] ?? 1})`);
  }
  return `[${bids.join(',')}]`;
};

export const observationOf = ({ second, bidCents, askCents, coinPrice }: GeneratedRow) => ({
  us: Math.round(second * 1e6),
  venueUs: null,
  seq: null,
  bid: price(bidCents),
  ask: price(askCents),
  coinPrice: coinPrice?.toFixed(2) ?? null,
});

/** A trade at the best price of a row. The sides alternate. */
export const tradeOf = ({ ticker, second, bidCents, askCents, sizes }: GeneratedRow, everyS: number): Trade | null => {
  if (second % everyS !== 0) return null;
  const us = Math.round(second * 1e6);
  const takerSide = (second / everyS) % 2 === 0 ? 'yes' : 'no';
  return {
    ticker,
    id: `${ticker}-${second}`,
    venueUs: us,
    receivedUs: us,
    price: price(takerSide === 'yes' ? askCents : bidCents),
    size: String(1 + ((sizes?.[0] ?? second) % 50)),
    takerSide,
  };
};

/** The book of a row as ClickHouse's TabSeparated. */
export const bookOf = ({ bidCents, askCents, sizes }: GeneratedRow) =>
  sizes === null
    ? undefined
    : { yes: side(bidCents, sizes), no: side(100 - askCents, sizes.slice(levels)), coinAgeUs: null };
