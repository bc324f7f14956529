import { parseJson } from '@almanac/contracts';
import { newBook } from '../model/book.js';
import type { Level, Side } from '../model/feed-message.js';
import { textOf } from '../sources/record-fields.js';
import { isObject } from '../sources/source.js';
import type { NamedAltered } from '../values/altered.js';
import { one, readMillionths } from '../values/millionths.js';
import type { LevelsColumn, MappingFields } from './mapping.js';
import { isOutcome, outcomeReader } from './outcomes.js';
import type { CellOf } from './readers.js';
import { storedDecimal } from '../values/stored-values.js';
import { type DecimalUnit, pointLeftOf } from '../values/decimal-unit.js';

type OnAltered = (altered: NamedAltered) => void;

/** A whole book in the cells of a row, as an observation stores it. */
export interface RowBookValues {
  readonly bid: number | null;
  readonly ask: number | null;
  /** Both sides as `book.ts` writes them. */
  readonly yes: string;
  readonly no: string;
  readonly digest: number;
}

/** `read` returns why the row is refused, one of a few texts, if its book cannot be read. */
export interface BookColumns {
  readonly read: (row: {
    readonly cells: readonly string[];
    readonly ticker: string;
    readonly onAltered: OnAltered;
  }) => RowBookValues | string;
}

export const bookReasons = {
  none: 'no book',
  list: 'not a list of levels',
  price: 'price: not between 0 and 1',
  size: 'size: not a number from 0',
  twice: 'the book has a price twice on one side',
} as const;

const wholeBook = {
  yes_bids: { of: 'yes', isBid: true },
  yes_asks: { of: 'yes', isBid: false },
  no_bids: { of: 'no', isBid: true },
  no_asks: { of: 'no', isBid: false },
} as const;
const names = ['yes_bids', 'yes_asks', 'no_bids', 'no_asks'] as const;

/** Null if the rows of the mapping have no whole books. */
export const bookColumns = (fields: MappingFields, cellFor: (field: string) => CellOf): BookColumns | null => {
  const lists = names.flatMap((name) => {
    const source = fields[name];
    return source ? [{ name, source, cell: cellFor(name)(source.column), ...wholeBook[name] }] : [];
  });
  if (lists.length === 0) return null;
  const outcomeOf = fields.outcome ? outcomeReader(fields.outcome, cellFor('outcome')) : null;
  return {
    read: ({ cells, ticker, onAltered }) => {
      // The book of the other outcome shows the same orders from its side.
      const outcome = outcomeOf === null ? 'yes' : outcomeOf(ticker, cells);
      if (!isOutcome(outcome)) return outcome;
      const sides: Record<Side, Level[]> = { yes: [], no: [] };
      let isGiven = false;
      for (const { name, source, cell, of, isBid } of lists) {
        const text = (cells[cell] ?? '').trim();
        if (text === '' && source.absent === 'unknown') continue;
        isGiven = true;
        if (text === '') continue;
        const read = levelsIn(text, source, (change) => onAltered({ ...change, name }));
        if (typeof read === 'string') return `${name}: ${read}`;
        for (const [price, size] of read) {
          if (size === 0) continue;
          const bid = bidOf({ outcome: turned(of, outcome), isBid, price });
          sides[bid.side].push([bid.price, size]);
        }
      }
      if (!isGiven) return bookReasons.none;
      const book = newBook();
      if (!book.load(sides.yes, sides.no)) return bookReasons.twice;
      return { bid: book.bid(), ask: book.ask(), yes: book.text('yes'), no: book.text('no'), digest: book.digest() };
    },
  };
};

const turned = (of: Side, outcome: Side): Side => (of === outcome ? 'yes' : 'no');

/** A level as a bid on one side of the market. Bids stay, asks become bids on the other side. */
export const bidOf = ({
  outcome,
  isBid,
  price,
}: {
  readonly outcome: Side;
  readonly isBid: boolean;
  readonly price: number;
}): { readonly side: Side; readonly price: number } => ({
  side: (outcome === 'yes') === isBid ? 'yes' : 'no',
  price: isBid ? price : one - price,
});

const levelsIn = (
  text: string,
  { price: priceKey, size: sizeKey, unit, size_unit: sizeUnit }: LevelsColumn,
  onAltered: (change: NamedAltered) => void,
): readonly Level[] | string => {
  const list = parseJson(text);
  if (!Array.isArray(list)) return bookReasons.list;
  const levels: Level[] = [];
  for (const item of list as readonly unknown[]) {
    const fields: readonly unknown[] = Array.isArray(item) ? item : [];
    const [price, size] = isObject(item) ? [item[priceKey], item[sizeKey]] : fields;
    const priceRead = levelPrice(textOf(price) ?? '', { unit, onAltered });
    const sizeRead = levelSize(textOf(size) ?? '', { unit: sizeUnit, onAltered });
    if (priceRead === null) return bookReasons.price;
    if (sizeRead === null) return bookReasons.size;
    levels.push([priceRead, sizeRead]);
  }
  return levels;
};

interface NumberOptions {
  readonly unit?: DecimalUnit;
  readonly decimals?: number | undefined;
  readonly floatNoise?: boolean;
  readonly onAltered: OnAltered;
}

/** A price of a level in millionths, above 0 and below 1. Otherwise null. */
export const levelPrice = (text: string, options: NumberOptions): number | null => {
  const price = millionths('price', text, options);
  return price !== null && price > 0 && price < one ? price : null;
};

/** A size from 0 in millionths. Otherwise null. */
export const levelSize = (text: string, options: NumberOptions): number | null => {
  const size = millionths('size', text, options);
  return size !== null && size >= 0 ? size : null;
};

const storedDecimals = 6;

/** A number in millionths, rounded as a column would be. Most texts take the fast way. */
export const millionths = (
  name: string,
  text: string,
  { unit = 'dollars', decimals, floatNoise = false, onAltered }: NumberOptions,
): number | null => {
  const exact = unit === 'dollars' && decimals === undefined && !floatNoise ? readMillionths(text) : null;
  if (exact !== null) return exact;
  const stored = storedDecimal(text, {
    pointLeft: pointLeftOf(unit),
    decimals: Math.min(decimals ?? storedDecimals, storedDecimals),
    floatNoise,
    onAltered: (change) => onAltered({ ...change, name }),
  });
  return stored === null ? null : readMillionths(stored);
};
