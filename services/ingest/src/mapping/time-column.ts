import type { NamedAltered } from '../values/altered.js';
import type { Column } from './compile-mapping.js';
import type { TimeColumn } from './mapping.js';
import { type CellOf, type Flaw, readMappedTime, timeFault } from './readers.js';

export const faultOf =
  (source: TimeColumn) =>
  (text: string): Flaw =>
    timeFault(text, source);

export const timeColumn = (name: string, source: TimeColumn, cellFor: (field: string) => CellOf): Column<number> => ({
  name,
  cell: cellFor(name)(source.column),
  read: (text, onAltered) => readMappedTime(text, source, (change) => onAltered({ ...change, name })),
  faultOf: faultOf(source),
  time: source,
});

/** Reads a time that a mapping may have. Null without one, and a text if it cannot be read. */
export const optionalTime = (name: string, source: TimeColumn | undefined, cellFor: (field: string) => CellOf) => {
  const cell = source ? cellFor(name)(source.column) : null;
  return (cells: readonly string[], onAltered: (altered: NamedAltered) => void): number | null | string => {
    const text = cell === null ? '' : (cells[cell] ?? '').trim();
    if (!source || text === '') return null;
    const us = readMappedTime(text, source, (change) => onAltered({ ...change, name }));
    return us ?? `${name}: ${timeFault(text, source).reason}`;
  };
};
