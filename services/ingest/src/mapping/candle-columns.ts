import { mapNames, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';
import type { StatedCandle } from '../model/venue-candle.js';
import type { NamedAltered } from '../values/altered.js';
import { readDecimal } from '../values/decimal.js';
import { type DecimalUnit, pointLeftOf } from '../values/decimal-unit.js';
import { readDuration } from '../values/time.js';
import type { MappingFields } from './mapping.js';
import { Flaw, textReader, type CellOf } from './readers.js';
import { optionalTime } from './time-column.js';

/** The columns of a venue candle. A text is why the row is refused, one of a few. */
export interface CandleColumns {
  readonly read: (
    cells: readonly string[],
    onAltered: (altered: NamedAltered) => void,
  ) => Omit<StatedCandle, 'ticker'> | string;
}

/** Null if the rows of the mapping are not candles. `name` is the source of candles without one. */
export const candleColumns = (
  fields: MappingFields,
  name: string,
  cellFor: (field: string) => CellOf,
): CandleColumns | null => {
  const { candle_end_ts: end, candle_period: period, candle_source: source, known_ts: known } = fields;
  if (!end || !period) return null;
  const [endOf, receivedOf] = [optionalTime('candle_end_ts', end, cellFor), optionalTime('known_ts', known, cellFor)];
  const sourceOf = source ? textReader(source, cellFor('candle_source')) : null;
  const periodCell = 'column' in period ? cellFor('candle_period')(period.column) : null;
  const periodOf = (cells: readonly string[]): number | null => {
    const text = periodCell === null ? '' : (cells[periodCell] ?? '').trim();
    if ('constant' in period) return (readDuration(period.constant) ?? NaN) / 1_000_000;
    const seconds = (readDuration(text) ?? NaN) / 1_000_000 || Number(text) * secondsIn[period.unit];
    return text !== '' && Number.isInteger(seconds) ? seconds : null;
  };
  const prices = mapNames(venueCandlePrices, (field) => columnOf(field, fields[field], cellFor));
  const sizes = mapNames(venueCandleSizes, (field) => columnOf(field, fields[field], cellFor));
  return {
    read: (cells, onAltered) => {
      const textIn = (column: { readonly cell: number } | null): string | null =>
        (column === null ? '' : (cells[column.cell] ?? '').trim()) || null;
      const [endUs, receivedUs] = [endOf(cells, onAltered), receivedOf(cells, onAltered)];
      if (typeof endUs === 'string') return endUs;
      if (typeof receivedUs === 'string') return receivedUs;
      const stated = sourceOf?.({ cells, ticker: '', rowUs: null, closeUs: null }) ?? name;
      if (stated instanceof Flaw) return `candle_source: ${stated.reason}`;
      return {
        source: stated,
        endUs,
        periodS: periodOf(cells),
        receivedUs,
        prices: mapNames(venueCandlePrices, (field) => {
          const [column, text] = [prices[field], textIn(prices[field])];
          return column === null || text === null ? null : { text, unit: column.unit };
        }),
        sizes: mapNames(venueCandleSizes, (field) => {
          const [column, text] = [sizes[field], textIn(sizes[field])];
          if (column === null || text === null || column.unit === 'dollars') return text;
          // A text that is no number is refused with the candle.
          return readDecimal(text, { pointLeft: pointLeftOf(column.unit) }) ?? text;
        }),
      };
    },
  };
};

const secondsIn = { s: 1, m: 60, h: 3_600 } as const;

const columnOf = (
  name: string,
  source: MappingFields['price_open'],
  cellFor: (field: string) => CellOf,
): { readonly cell: number; readonly unit: DecimalUnit } | null =>
  source ? { cell: cellFor(name)(source.column), unit: source.unit } : null;
