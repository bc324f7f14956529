import { one } from '../values/millionths.js';
import { writeScaled } from '../values/scaled.js';
import type { BookEdit, Level, Side } from './feed-message.js';

/** The bids of one side, best first. Prices and sizes are in millionths. */
export interface Bids {
  readonly prices: Float64Array;
  readonly sizes: Float64Array;
  /** How many levels of the arrays are in use. */
  readonly count: number;
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
  /** A side as it is in memory. It is valid until the book changes. */
  bids(side: Side): Bids;
  /** Whether a whole book of the venue has the same levels. */
  equals(yes: readonly Level[], no: readonly Level[]): boolean;
  /** A side as ClickHouse reads it: `[(0.86,300),(0.85,12.5)]`. */
  text(side: Side): string;
  /** A digest of 53 bits of all levels. */
  digest(): number;
}

export const newBook = (): Book => {
  const sides = { yes: new Ladder(), no: new Ladder() };
  return {
    load: (yes, no) => {
      const [loadedYes, loadedNo] = [ladderOf(yes), ladderOf(no)];
      if (loadedYes === null || loadedNo === null) return false;
      sides.yes = loadedYes;
      sides.no = loadedNo;
      return true;
    },
    change: (side, price, by) => sides[side].change(price, by),
    set: (side, price, size) => sides[side].set(price, size),
    edit: (edit) => {
      if ('by' in edit) return sides[edit.side].change(edit.price, edit.by);
      sides[edit.side].set(edit.price, edit.size);
      return true;
    },
    bid: () => sides.yes.best(),
    ask: () => {
      const best = sides.no.best();
      return best === null ? null : one - best;
    },
    levels: (side) => sides[side].levels(),
    bids: (side) => sides[side],
    equals: (yes, no) => sides.yes.equals(yes) && sides.no.equals(no),
    text: (side) => textOf(sides[side]),
    digest: () => digestOf(sides.yes, sides.no),
  };
};

const capacityMin = 8;

/** The bids of one side in arrays of numbers, because a change of a book must not create objects. */
class Ladder implements Bids {
  prices: Float64Array;
  sizes: Float64Array;
  count = 0;

  constructor(capacity = capacityMin) {
    this.prices = new Float64Array(capacity);
    this.sizes = new Float64Array(capacity);
  }

  best(): number | null {
    return this.count === 0 ? null : (this.prices[0] ?? null);
  }

  change(price: number, by: number): boolean {
    const at = this.placeOf(price);
    const size = (this.has(at, price) ? (this.sizes[at] ?? 0) : 0) + by;
    if (size < 0 || !Number.isSafeInteger(size)) return false;
    this.put(at, price, size);
    return true;
  }

  set(price: number, size: number): void {
    this.put(this.placeOf(price), price, size);
  }

  push(price: number, size: number): void {
    this.put(this.count, price, size);
  }

  levels(): readonly Level[] {
    return Array.from({ length: this.count }, (_, at): Level => [this.prices[at] ?? 0, this.sizes[at] ?? 0]);
  }

  equals(levels: readonly Level[]): boolean {
    const stated = new Map(levels.filter(([, size]) => size > 0));
    if (stated.size !== this.count) return false;
    for (let at = 0; at < this.count; at += 1) if (stated.get(this.prices[at] ?? 0) !== this.sizes[at]) return false;
    return true;
  }

  private has(at: number, price: number): boolean {
    return at < this.count && this.prices[at] === price;
  }

  private put(at: number, price: number, size: number): void {
    if (this.has(at, price)) {
      if (size > 0) this.sizes[at] = size;
      else this.move(at + 1, at);
    } else if (size > 0) {
      if (this.count === this.prices.length) this.grow();
      this.move(at, at + 1);
      this.prices[at] = price;
      this.sizes[at] = size;
    }
  }

  /** Moves the levels from a place on, so that there is one more or one less. */
  private move(from: number, to: number): void {
    this.prices.copyWithin(to, from, this.count);
    this.sizes.copyWithin(to, from, this.count);
    this.count += to - from;
  }

  private grow(): void {
    const [prices, sizes] = [new Float64Array(2 * this.count), new Float64Array(2 * this.count)];
    prices.set(this.prices);
    sizes.set(this.sizes);
    this.prices = prices;
    this.sizes = sizes;
  }

  /** The index of a price, or where it would be inserted, in descending prices. */
  private placeOf(price: number): number {
    const { prices } = this;
    let [from, to] = [0, this.count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((prices[middle] ?? 0) > price) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

const ladderOf = (levels: readonly Level[]): Ladder | null => {
  const ladder = new Ladder(Math.max(capacityMin, levels.length));
  for (const [price, size] of levels.toSorted((a, b) => b[0] - a[0])) {
    if (ladder.count > 0 && ladder.prices[ladder.count - 1] === price) return null;
    if (size > 0) ladder.push(price, size);
  }
  return ladder;
};

/** Two numbers of up to 17 characters and the characters around them. */
const levelBytes = 40;
const opening = 91;
const closing = 93;
const open = 40;
const close = 41;
const comma = 44;
const decimals = 6;
let scratch = Buffer.alloc(256 * levelBytes);

const textOf = ({ prices, sizes, count }: Bids): string => {
  const wanted = count * levelBytes + 2;
  if (scratch.length < wanted) scratch = Buffer.alloc(wanted);
  let end = 0;
  scratch[end++] = opening;
  for (let at = 0; at < count; at += 1) {
    if (at > 0) scratch[end++] = comma;
    scratch[end++] = open;
    end = writeScaled(scratch, end, prices[at] ?? 0, decimals);
    scratch[end++] = comma;
    end = writeScaled(scratch, end, sizes[at] ?? 0, decimals);
    scratch[end++] = close;
  }
  scratch[end++] = closing;
  return scratch.toString('latin1', 0, end);
};

const two32 = 2 ** 32;

const digestOf = (yes: Bids, no: Bids): number => {
  let [high, low] = [yes.count, 0x9e3779b9 ^ no.count];
  for (const { prices, sizes, count } of [yes, no])
    for (let at = 0; at < count; at += 1) {
      const size = sizes[at] ?? 0;
      const place = Math.imul(prices[at] ?? 0, 0x2c1b3c6d) ^ (size / two32);
      high = Math.imul(high ^ place, 0x85ebca6b) ^ size;
      high = Math.imul(high ^ (high >>> 15), 0x297a2d39);
      low = Math.imul(low ^ size, 0x27d4eb2f) ^ place;
      low ^= low >>> 13;
    }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
};
