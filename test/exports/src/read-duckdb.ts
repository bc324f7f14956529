import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { TableFormatId } from '@almanac/contracts';
import { levelsOfText } from './read-text.js';
import { type Cell, type Kind, kindOf, type Table } from './table.js';

/**
 * Reads as a person at DuckDB's prompt would: it detects the columns from all rows. Only CSV declares its text columns:
 * otherwise DuckDB reads a column in which every `result` is `yes` as booleans.
 */
const sources: Readonly<Record<TableFormatId, (path: string, columns: readonly string[]) => string>> = {
  csv: (path, columns) => {
    const texts = columns.filter((name) => kindOf(name) === 'text').map((name) => `'${name}': 'VARCHAR'`);
    return `read_csv('${path}', sample_size = -1, types = {${texts.join(', ')}})`;
  },
  parquet: (path) => `read_parquet('${path}')`,
  json: (path) => `read_json('${path}', sample_size = -1, maximum_object_size = 268435456)`,
  'jsonl.gz': (path) => `read_json('${path}', format = 'newline_delimited', sample_size = -1)`,
};

/** The types that Parquet declares. */
const parquetTypes: Readonly<Record<Kind, string>> = {
  text: 'VARCHAR',
  time: 'TIMESTAMP WITH TIME ZONE',
  integer: 'UBIGINT',
  period: 'UINTEGER',
  price: 'DECIMAL(9,6)',
  size: 'DECIMAL(18,6)',
  amount: 'DECIMAL(18,8)',
  book: 'DECIMAL(18,6)[][]',
};

/** Reads any format with DuckDB, from a file in `folder`. */
export const readByDuckDb = async (
  connection: DuckDBConnection,
  file: Buffer,
  { format, folder, columns: named }: { format: TableFormatId; folder: string; columns: readonly string[] },
): Promise<Table> => {
  const path = join(folder, `read.${format}`);
  await writeFile(path, file);
  const reader = await connection.runAndReadAll(`SELECT * FROM ${sources[format](path, named)}`);
  const columns = reader.columnNames();
  const kinds = columns.map(kindOf);
  if (format === 'parquet') {
    assert.deepEqual(
      reader.columnTypes().map(String),
      kinds.map((kind) => parquetTypes[kind]),
    );
  }
  const rows = reader.getRows().map((row) => row.map((value, at) => cellOf(value, kinds[at] ?? 'text')));
  return { columns, rows };
};

const cellOf = (value: DuckDBValue, kind: Kind): Cell => {
  if (value === null) return null;
  if (kind === 'text') {
    assert.ok(typeof value === 'string', `a text was taken for ${String(value)}`);
    return value;
  }
  if (kind === 'time') return microsOf(value);
  return kind === 'book' ? levelsOf(value) : numberOf(value);
};

const microsOf = (value: DuckDBValue): number =>
  value instanceof DuckDBTimestampTZValue ? Number(value.micros) : Math.round(numberOf(value) * 1e6);

const numberOf = (value: DuckDBValue): number => {
  if (typeof value === 'number') return value;
  assert.ok(typeof value === 'bigint' || value instanceof DuckDBDecimalValue, `${String(value)} is no number`);
  return Number(value.toString());
};

const levelsOf = (value: DuckDBValue): Cell => {
  if (typeof value === 'string') return levelsOfText(value);
  return itemsOf(value).map((level) => {
    const [price, size, ...more] = itemsOf(level);
    assert.ok(price !== undefined && size !== undefined && more.length === 0, 'a level is a price and a size');
    return [numberOf(price), numberOf(size)];
  });
};

const itemsOf = (value: DuckDBValue): readonly DuckDBValue[] => {
  assert.ok(value instanceof DuckDBListValue, `${String(value)} is no list`);
  return value.items;
};
