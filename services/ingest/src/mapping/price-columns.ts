import type { NamedAltered } from '../values/altered.js';
import { cutAsCopy } from '../values/copy-text.js';
import { pointLeftOf } from '../values/decimal-unit.js';
import { decimalsMax } from '../values/stored-values.js';
import type { Column } from './compile-mapping.js';
import type { DecimalColumn } from './mapping.js';
import { type CellOf, readPrice } from './readers.js';

export const priceColumn = (
  name: string,
  source: DecimalColumn,
  cellFor: (field: string) => CellOf,
): Column<string> => {
  const kind = name.startsWith('yes_') ? 'price' : 'value';
  const places = decimalsMax[kind];
  return {
    name,
    cell: cellFor(name)(source.column),
    read: memoize((text, onAltered) =>
      readPrice(text, source, { kind, onAltered: (change) => onAltered({ ...change, name }) }),
    ),
    decimal: {
      pointLeft: pointLeftOf(source.unit),
      decimals: Math.min(source.decimals ?? places, places),
      floatNoise: source.float_noise,
      places,
    },
  };
};

export const sizeColumn = (name: string, source: DecimalColumn, cellFor: (field: string) => CellOf): Column<string> => {
  const column = priceColumn(name, source, cellFor);
  return {
    ...column,
    read: (text, onAltered) => {
      const size = column.read(text, onAltered);
      return size?.startsWith('-') ? null : size;
    },
  };
};

const memoMax = 8_192;

interface ReadText {
  readonly value: string | null;
  readonly altered: readonly NamedAltered[];
}

/** Quotes repeat: 100 cent prices, a coin price that does not move. The cache is bounded and holds only short texts. */
const memoize = (read: Column<string>['read']): Column<string>['read'] => {
  const known = new Map<string, ReadText>();
  const readNew = (text: string): ReadText => {
    const altered: NamedAltered[] = [];
    const value = read(text, (change) => void altered.push(change));
    const found = { value, altered: altered.length === 0 ? unaltered : altered };
    if (text.length < cutAsCopy) {
      if (known.size >= memoMax) known.clear();
      known.set(text, found);
    }
    return found;
  };
  return (text, onAltered) => {
    const { value, altered } = known.get(text) ?? readNew(text);
    for (const change of altered) onAltered(change);
    return value;
  };
};

const unaltered: readonly NamedAltered[] = [];
