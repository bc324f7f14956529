import { millionthsText, one } from '../values/millionths.js';
import type { BookEdit, Level, Side } from './feed-message.js';

/** The bids of one side, best first. Prices and sizes are in millionths. Texts are made on demand. */
interface Bids {
  prices: number[];
  sizes: number[];
  texts: string[];
}

/** The order book of one market. Every level has a size above 0. */
export interface Book {
  /** Replaces the entire book. Returns false and changes nothing if a side has a price twice. */
  load(yes: readonly Level[], no: readonly Level[]): boolean;
  /** Returns false and changes nothing if the size would become negative: then the book differs from the venue's. */
  change(side: Side, price: number, by: number): boolean;
  set(side: Side, price: number, size: number): void;
  /** Makes one or the other. Returns what `change` does. */
  edit(edit: BookEdit): boolean;
  /** In millionths. */
  bid(): number | null;
  /** Best ask on yes: 1 minus the best bid on no. */
  ask(): number | null;
  levels(side: Side): readonly Level[];
  /** Whether a whole book of the venue has the same levels. */
  equals(yes: readonly Level[], no: readonly Level[]): boolean;
  /** A side as ClickHouse reads it: `[(0.86,300),(0.85,12.5)]`. */
  text(side: Side): string;
}

export const newBook = (): Book => {
  const sides = { yes: noBids(), no: noBids() };
  const set = (side: Side, price: number, size: number): void =>
    put(sides[side], { at: placeOf(sides[side].prices, price), price, size });
  return {
    load: (yes, no) => {
      const [loadedYes, loadedNo] = [bidsOf(yes), bidsOf(no)];
      if (loadedYes === null || loadedNo === null) return false;
      sides.yes = loadedYes;
      sides.no = loadedNo;
      return true;
    },
    change: (side, price, by) => changed(sides[side], price, by),
    set,
    edit: (edit) => {
      if ('by' in edit) return changed(sides[edit.side], edit.price, edit.by);
      set(edit.side, edit.price, edit.size);
      return true;
    },
    bid: () => sides.yes.prices[0] ?? null,
    ask: () => (sides.no.prices[0] === undefined ? null : one - sides.no.prices[0]),
    levels: (side) => sides[side].prices.map((price, at) => [price, sides[side].sizes[at] ?? 0]),
    equals: (yes, no) => isEqual(sides.yes, yes) && isEqual(sides.no, no),
    text: (side) => textOf(sides[side]),
  };
};

const isEqual = ({ prices, sizes }: Bids, levels: readonly Level[]): boolean => {
  const stated = new Map(levels.filter(([, size]) => size > 0));
  return stated.size === prices.length && prices.every((price, at) => stated.get(price) === sizes[at]);
};

const noBids = (): Bids => ({ prices: [], sizes: [], texts: [] });

const bidsOf = (levels: readonly Level[]): Bids | null => {
  const bids = noBids();
  for (const [price, size] of levels.toSorted((a, b) => b[0] - a[0])) {
    if (bids.prices.at(-1) === price) return null;
    if (size === 0) continue;
    bids.prices.push(price);
    bids.sizes.push(size);
    bids.texts.push('');
  }
  return bids;
};

const changed = (bids: Bids, price: number, by: number): boolean => {
  const at = placeOf(bids.prices, price);
  const size = (bids.prices[at] === price ? (bids.sizes[at] ?? 0) : 0) + by;
  if (size < 0 || !Number.isSafeInteger(size)) return false;
  put(bids, { at, price, size });
  return true;
};

const put = (bids: Bids, { at, price, size }: { at: number; price: number; size: number }): void => {
  const known = bids.prices[at] === price;
  if (known && size > 0) {
    bids.sizes[at] = size;
    bids.texts[at] = '';
  } else if (known) {
    bids.prices.splice(at, 1);
    bids.sizes.splice(at, 1);
    bids.texts.splice(at, 1);
  } else if (size > 0) {
    bids.prices.splice(at, 0, price);
    bids.sizes.splice(at, 0, size);
    bids.texts.splice(at, 0, '');
  }
};

/** The index of a price, or where it would be inserted, in descending prices. */
const placeOf = (prices: readonly number[], price: number): number => {
  let from = 0;
  let to = prices.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((prices[middle] ?? 0) > price) from = middle + 1;
    else to = middle;
  }
  return from;
};

const textOf = ({ prices, sizes, texts }: Bids): string => {
  for (let at = 0; at < texts.length; at += 1) {
    if (texts[at] === '') texts[at] = `(${millionthsText(prices[at] ?? 0)},${millionthsText(sizes[at] ?? 0)})`;
  }
  return `[${texts.join(',')}]`;
};
