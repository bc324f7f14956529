import { seededRandom } from '@almanac/testing';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { DirtyRows } from './dirty-quotes.js';

const quoted = (cell: string, delimiter: string, always: boolean): string =>
  always || cell.includes(delimiter) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** As CSV: without quotes, so that a delimiter in a cell breaks its row, with all cells in quotes, or with some. The last line may be cut. */
export const dirtyCsv = ({ columns, rows }: DirtyRows, seed: number): string => {
  const random = seededRandom(seed);
  const [quotes, isCut] = [random(), random() < 0.3];
  const [hasNone, hasAll] = [quotes < 0.4, quotes > 0.7];
  const delimiter = [',', '\t', ';'][Math.floor(random() * 3)] ?? ',';
  const lines = rows.map((row) => {
    const cells = row.map((cell) => {
      const oneLine = hasNone || hasAll ? cell.replaceAll(/["\n]/g, '~') : cell;
      return hasNone ? oneLine : quoted(oneLine, delimiter, hasAll || random() < 0.01);
    });
    const end = random() < 0.1 ? '\r\n' : '\n';
    return `${random() < 0.02 ? end : ''}${cells.join(delimiter)}${end}`;
  });
  const text = `${columns.join(delimiter)}\n${lines.join('')}`;
  return isCut ? text.slice(0, -Math.floor(1 + random() * 60)) : text;
};

const stored = (text: string, type: string): unknown => {
  if (type === 'BYTE_ARRAY') return text;
  if (text.trim() === '' || Number.isNaN(Number(text))) return null;
  if (type === 'DOUBLE') return Number(text);
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
};

/** Their dirt is texts. */
const textColumns: ReadonlySet<string> = new Set(['market', 'error', 'id', 'taker', 'outcome']);

/** As Parquet, each column as a text, a binary float or an integer, and times as a column of times. */
export const dirtyParquet = ({ columns, rows }: DirtyRows, seed: number): Buffer => {
  const random = seededRandom(seed);
  const types = columns.map((name): Omit<SchemaElement, 'name'> => {
    const roll = random();
    if (textColumns.has(name) || roll < 0.3) return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    if (name.endsWith('at'))
      return roll < 0.7 ? { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' } : { type: 'INT64' };
    return roll < 0.8 ? { type: 'DOUBLE' } : { type: 'INT64' };
  });
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map((name, index): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[index] })),
  ];
  const columnData = columns.map((name, index) => ({
    name,
    data: rows.map((row) => stored(row[index] ?? '', String(types[index]?.type))),
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, schema, rowGroupSize: 150 }));
};
