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

/** The row as ClickHouse's TabSeparated, in the order of `observationColumns` and `bookColumns`. */
export const rowText = (row: GeneratedRow): string => {
  const { sizes } = row;
  const books =
    sizes === null
      ? ['false', '[]', '[]', '\\N']
      : ['true', side(row.bidCents, sizes), side(100 - row.askCents, sizes.slice(levels)), '\\N'];
  return [
    row.ticker,
    row.series,
    row.second.toFixed(6),
    '\\N',
    '\\N',
    price(row.bidCents),
    price(row.askCents),
    row.coinPrice === null ? '\\N' : row.coinPrice.toFixed(2),
    ...books,
  ].join('\t');
};
