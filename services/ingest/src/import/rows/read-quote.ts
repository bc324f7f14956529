import type { Column, QuoteColumn } from '../../mapping/compile-mapping.js';
import { mapQuote, type QuoteField, type QuoteValues } from '../../model/quote-fields.js';
import { reasons } from '../../intake/file-context.js';
import { notWhole } from '../../mapping/readers.js';
import type { NamedAltered } from '../../values/altered.js';
import { isProbability } from '../../values/decimal.js';

interface ReadQuote {
  readonly values: QuoteValues;
  /** The fields whose cells have no value of theirs. */
  readonly dropped: readonly { readonly field: QuoteField; readonly text: string }[];
}

/** Why a row is refused, and the cell that is to blame. */
interface RefusedQuote {
  readonly refusal: string;
  readonly value?: string;
}

const nothingDropped: ReadQuote['dropped'] = [];
const unknown = mapQuote((): number | string | null => null);

/** Reads the quote of a row. Hot path: it creates one object for a row whose cells are as they should be. */
export const readQuote = (
  columns: readonly QuoteColumn[],
  cells: readonly string[],
  onAltered: (altered: NamedAltered) => void,
): ReadQuote | RefusedQuote => {
  const values = { ...unknown };
  let dropped = nothingDropped;
  for (const column of columns) {
    const text = (cells[column.cell] ?? '').trim();
    if (text === '') continue;
    const { field } = column;
    const value = column.read(text, onAltered);
    if (value !== null && (field.kind !== 'price' || isProbability(String(value)))) {
      values[field.name] = value;
      continue;
    }
    // Any replacement of an invalid price would be invented.
    if (field.kind === 'price') return { refusal: `${field.column}: ${field.fault}`, value: text };
    const refusal = otherUnit(column, text);
    if (refusal !== null) return { refusal };
    dropped = [...dropped, { field, text }];
  }
  // Each column reads the type of its field.
  return { values: values as QuoteValues, dropped };
};

/** Why the time of a row cannot be read. */
export const whyNoTime = (column: Pick<Column<unknown>, 'name' | 'faultOf' | 'time'>, text: string): string => {
  const fault = column.faultOf?.(text).reason ?? notWhole;
  if (fault !== notWhole) return `${column.name}: ${fault}`;
  return column.time?.unit === 'iso' ? reasons.notIso : reasons.notTime;
};

/** Why a time is one of another unit than the mapping states. Null if it is no time at all. */
export const otherUnit = (column: Pick<Column<unknown>, 'name' | 'faultOf'>, text: string): string | null => {
  const fault = column.faultOf?.(text);
  return fault?.refusesRow === true ? `${column.name}: ${fault.reason}` : null;
};
