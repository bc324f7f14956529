import type { View } from '../../mapping/compile-mapping.js';
import type { RowBlock } from '../../sources/source.js';
import { one, readMillionths } from '../../values/millionths.js';

const rowsMax = 100;
const cent = one / 100;

/** Valid prices of the first rows of a file that a wrong mapping explains better than the market. */
export interface PriceDoubts {
  seeing<Block extends Pick<RowBlock, 'rows' | 'cells'>>(blocks: AsyncIterable<Block>): AsyncIterable<Block>;
  warnings(): readonly string[];
}

interface Seen {
  /** By field in cents: whether every price that is not 0 is below a cent. */
  readonly belowCent: Map<string, boolean>;
  crossed: number;
  ordered: number;
}

export const priceDoubts = (views: readonly View[]): PriceDoubts => {
  const seen: Seen = { belowCent: new Map(), crossed: 0, ordered: 0 };
  const readers = views.map((view) => readerOf(view, seen));
  let rows = 0;
  return {
    async *seeing(blocks) {
      for await (const block of blocks) {
        const count = Math.min(block.cells?.count ?? block.rows.length, rowsMax - rows);
        for (let row = 0; row < count; row += 1) {
          const cells = block.cells?.row(row) ?? block.rows[row] ?? [];
          for (const read of readers) read(cells);
        }
        rows += count;
        yield block;
      }
    },
    warnings: () => [
      ...Array.from(seen.belowCent).flatMap(([name, isBelow]) =>
        isBelow
          ? [`${name}: all prices of the first rows are below one cent. If they are dollars, remove unit: cents`]
          : [],
      ),
      ...(seen.crossed > seen.ordered
        ? ['the bid is above the ask in most of the first rows. Check which column is which']
        : []),
    ],
  };
};

const ignored = (): void => undefined;

const readerOf = ({ observation, trade }: View, seen: Seen): ((cells: readonly string[]) => void) => {
  const prices = observation?.quote.filter(({ field }) => field.kind === 'price') ?? [];
  return (cells) => {
    const found = new Map<string, number>();
    for (const { name, cell, read, decimal } of prices) {
      const price = readMillionths(String(read((cells[cell] ?? '').trim(), ignored) ?? ''));
      if (price === null) continue;
      found.set(name, price);
      if (decimal?.pointLeft === 2) noteCents(seen, name, price);
    }
    const [bid, ask] = [found.get('yes_best_bid'), found.get('yes_best_ask')];
    if (bid !== undefined && ask !== undefined) seen[bid > ask ? 'crossed' : 'ordered'] += 1;
    const stated = trade?.read(cells, ignored);
    if (typeof stated !== 'object' || stated.unit !== 'cents') return;
    const price = readMillionths(stated.price ?? '');
    if (price !== null) noteCents(seen, 'price', price / 100);
  };
};

const noteCents = ({ belowCent }: Seen, name: string, price: number): void => {
  if (price !== 0) belowCent.set(name, (belowCent.get(name) ?? true) && price < cent);
};
