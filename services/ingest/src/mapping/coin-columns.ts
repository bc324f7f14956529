import { coinNamed } from '@almanac/contracts';
import type { NamedAltered } from '../values/altered.js';
import type { MappingFields } from './mapping.js';
import { Flaw, readPrice, readMappedTime, textReader, timeFault, type CellOf } from './readers.js';

/** A price of a coin in USD, which holds from its time on. */
export interface CoinPriceRow {
  readonly coin: string;
  readonly us: number;
  readonly price: string;
}

/** The columns of a coin price. A text is why the row is refused, one of a few. */
export interface CoinColumns {
  readonly read: (cells: readonly string[], onAltered: (altered: NamedAltered) => void) => CoinPriceRow | string;
}

const coinReasons = {
  noCoin: 'no coin',
  currency: 'coin: not a symbol with a price in USD, such as BTC or BTC-USD',
  noTime: 'no time',
  price: 'coin_price: not a decimal number above 0',
};

/** Null if the rows of the mapping are not prices of coins. */
export const coinColumns = (
  { coin, coin_price: price, ts }: MappingFields,
  cellFor: (field: string) => CellOf,
): CoinColumns | null => {
  if (!coin || !price || !ts) return null;
  const coinOf = textReader(coin, cellFor('coin'));
  const [priceCell, timeCell] = [cellFor('coin_price')(price.column), cellFor('ts')(ts.column)];
  return {
    read: (cells, onAltered) => {
      const named = coinOf({ cells, ticker: '', rowUs: null, closeUs: null });
      if (named instanceof Flaw) return `coin: ${named.reason}`;
      if (named === null) return coinReasons.noCoin;
      const symbol = coinNamed(named);
      if (symbol === null) return coinReasons.currency;
      const time = (cells[timeCell] ?? '').trim();
      if (time === '') return coinReasons.noTime;
      const us = readMappedTime(time, ts, (change) => onAltered({ ...change, name: 'ts' }));
      if (us === null) return `ts: ${timeFault(time, ts).reason}`;
      const text = (cells[priceCell] ?? '').trim();
      const note = (change: Omit<NamedAltered, 'name'>): void => onAltered({ ...change, name: 'coin_price' });
      const stored = readPrice(text, price, { kind: 'value', onAltered: note });
      return stored === null || !isPositive(stored) ? coinReasons.price : { coin: symbol, us, price: stored };
    },
  };
};

const isPositive = (decimal: string): boolean => !decimal.startsWith('-') && /[1-9]/.test(decimal);
