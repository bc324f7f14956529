import { otherSide, type StatedTrade } from '../model/trade.js';
import type { NamedAltered } from '../values/altered.js';
import type { Column } from './compile-mapping.js';
import { pointLeftOf } from '../values/decimal-unit.js';
import { decimalsMax } from '../values/stored-values.js';
import type { DecimalColumn, Mapping } from './mapping.js';
import { type CellOf, firstGroup, Flaw, textReader } from './readers.js';
import { timeColumn } from './time-column.js';

const places = decimalsMax.price;

/** The columns of a trade. `read` returns what is stated, to be checked with `readTrade`, or why the row is refused. */
export interface TradeColumns {
  /** Whether the id is made of what the row states. */
  readonly hasNoId: boolean;
  readonly read: (
    cells: readonly string[],
    onAltered: (altered: NamedAltered) => void,
  ) => Omit<StatedTrade, 'ticker'> | string;
  /** How plain cells are read before they are texts. Null if ids are made or cut. */
  readonly plain: PlainTradeColumns | null;
}

type NumberCell = Pick<Column<unknown>, 'name' | 'cell' | 'time' | 'decimal'>;

export interface PlainTradeColumns {
  readonly idCell: number;
  readonly received: NumberCell | null;
  readonly venue: NumberCell | null;
  readonly price: NumberCell;
  readonly size: NumberCell;
  /** The cells on which the sides depend, at most two. */
  readonly sideCells: readonly number[];
  readonly sidesOf: (cells: readonly string[]) => Sides;
}

type Sides = Pick<StatedTrade, 'takerSide' | 'priceOf'>;

/** `ts` is the receive time. A cell that is no time is no known time. */
export const tradeColumns = (fields: Mapping['fields'], cellFor: (field: string) => CellOf): TradeColumns | null => {
  const { trade_id: id, price, size, taker_side: side, ts, venue_ts: venueTs, outcome } = fields;
  if (!id || !price || !size) return null;
  const idColumn = 'column' in id ? { ...id, cell: cellFor('trade_id')(id.column) } : null;
  const priceCell = cellFor('price')(price.column);
  const sizeCell = cellFor('size')(size.column);
  const outcomeOf = outcome && !('first' in outcome) ? textReader(outcome, cellFor('outcome')) : null;
  const sideOf = side ? textReader(side, cellFor('taker_side')) : null;
  const received = ts ? timeColumn('ts', ts, cellFor) : null;
  const venue = venueTs ? timeColumn('venue_ts', venueTs, cellFor) : null;
  const sidesIn = sidesReader(sideOf, outcomeOf);
  const sideCells = [side, outcomeOf === null ? undefined : outcome].flatMap((source) =>
    source !== undefined && 'column' in source ? [cellFor('taker_side')(source.column)] : [],
  );
  return {
    hasNoId: idColumn === null,
    plain:
      idColumn === null || idColumn.pattern
        ? null
        : {
            idCell: idColumn.cell,
            received,
            venue,
            price: decimalCell(priceCell, 'price', price),
            size: decimalCell(sizeCell, 'size', size),
            sideCells,
            sidesOf: sidesIn,
          },
    read: (row, onAltered) => {
      const cell = (at: number): string => (row[at] ?? '').trim();
      let otherUnit: string | null = null;
      const timeOf = (column: Column<number> | null): number | null => {
        const text = column === null ? '' : cell(column.cell);
        if (column === null || text === '') return null;
        const us = column.read(text, onAltered);
        const fault = us === null ? column.faultOf?.(text) : undefined;
        if (fault?.refusesRow === true) otherUnit ??= `${column.name}: ${fault.reason}`;
        return us;
      };
      const times = { receivedUs: timeOf(received), venueUs: timeOf(venue) };
      if (otherUnit !== null) return otherUnit;
      return {
        id: idColumn === null ? null : idOf(idColumn, cell(idColumn.cell)),
        ...times,
        price: cell(priceCell),
        unit: price.unit,
        size: cell(sizeCell),
        sizeUnit: size.unit,
        ...sidesIn(row),
      };
    },
  };
};

type ReadText = ReturnType<typeof textReader>;

const sidesReader =
  (sideOf: ReadText | null, outcomeOf: ReadText | null) =>
  (row: readonly string[]): Sides => {
    const taker = sideOf?.(asRow(row)) ?? null;
    return sidesOf(
      taker instanceof Flaw ? taker.reason : taker,
      outcomeOf && (outcomeOf(asRow(row)) ?? new Flaw('is empty')),
    );
  };

const decimalCell = (cell: number, name: string, { unit }: DecimalColumn): NumberCell => ({
  name,
  cell,
  decimal: { pointLeft: pointLeftOf(unit), decimals: places, floatNoise: false, places },
});

const idOf = ({ pattern }: { readonly pattern?: RegExp | undefined }, text: string): string | null =>
  pattern ? firstGroup(pattern, text) : text;

const asRow = (cells: readonly string[]) => ({ cells, ticker: '', rowUs: null, closeUs: null });

/** With an outcome, the price is of that outcome, and the taker may `buy` or `sell` it. Selling yes is buying no. */
const sidesOf = (taker: string | null, outcome: string | Flaw | null): Sides => {
  if (outcome !== 'yes' && outcome !== 'no')
    return { takerSide: outcome === null ? taker : 'outcome: neither yes nor no' };
  if (taker !== 'buy' && taker !== 'sell') return { priceOf: outcome, takerSide: taker };
  return { priceOf: outcome, takerSide: taker === 'buy' ? outcome : otherSide(outcome) };
};
