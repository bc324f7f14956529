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
