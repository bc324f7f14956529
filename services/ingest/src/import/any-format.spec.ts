import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { seededRandom, testNumber } from '@almanac/testing';
import { type DataType, decimal, int64, timestamp, TimeUnit, utf8 } from '@uwdata/flechette';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type ArrowOptions, arrowOf } from '../sources/testing/arrow-files.js';
import { importFiles } from './testing/import-files.js';
import { withFolder } from './testing/with-folder.js';

/** A column of generated rows, and what it is in a typed file. Decimals have four places, times microseconds. */
type Column = 'text' | 'decimal' | 'time' | 'integer';
type Value = string | null;

interface RowKind {
  readonly columns: Readonly<Record<string, Column>>;
  readonly fields: string;
  /** Fees are of a series. */
  readonly hasNoMarket?: boolean;
  readonly row: (random: Random) => readonly Value[];
}

interface Random {
  readonly index: number;
  readonly below: (limit: number) => number;
  /** Mostly the value, sometimes none. */
  readonly mostly: (value: string) => Value;
}

const decimalOf = (tenThousandths: number): string => (tenThousandths / 10_000).toFixed(4);
const timeOf = (us: number): string =>
  `${new Date(1_771_993_200_000 + Math.floor(us / 1_000)).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`;

const time = ({ below }: Random): string => timeOf(below(60_000_000));
const ticker = ({ below, mostly }: Random): Value => mostly(`KXA-26MAR-${below(4)}`);
/** Sometimes above 1, which refuses a row. */
const price = ({ below, mostly }: Random): Value => mostly(decimalOf(below(11_000)));
const level = ({ below }: Random): string => `["0.${String(1 + below(9_999)).padStart(4, '0')}","${below(100)}.5"]`;

const kinds: Readonly<Record<string, RowKind>> = {
  market: {
    columns: { market: 'text', closes: 'time', strike: 'decimal', result: 'text' },
    fields: 'close_ts: { column: closes, unit: iso }\n  floor_strike: { column: strike }\n  result: { column: result }',
    row: (random) => [ticker(random), random.mostly(time(random)), price(random), random.mostly('yes')],
  },
  observation: {
    columns: { market: 'text', at: 'time', bid: 'decimal', ask: 'decimal', number: 'integer' },
    fields:
      'ts: { column: at, unit: iso }\n  yes_best_bid: { column: bid }\n  yes_best_ask: { column: ask }\n  seq: { column: number }',
    row: (random) => [
      ticker(random),
      random.mostly(time(random)),
      price(random),
      price(random),
      random.mostly(String(random.below(1e9))),
    ],
  },
  book: {
    columns: { market: 'text', at: 'time', bids: 'text', asks: 'text' },
    fields: 'ts: { column: at, unit: iso }\n  yes_bids: { column: bids }\n  yes_asks: { column: asks, absent: empty }',
    row: (random) => [
      ticker(random),
      time(random),
      random.mostly(`[${level(random)}]`),
      random.mostly(`[${level(random)}]`),
    ],
  },
  level: {
    columns: { market: 'text', at: 'time', event: 'text', side: 'text', px: 'decimal', qty: 'decimal' },
    fields:
      'ts: { column: at, unit: iso }\n  book_event: { column: event }\n  side: { column: side }\n  price: { column: px }\n  size: { column: qty }',
    row: (random) => [
      'KXA-26MAR-1',
      timeOf(random.index * 70_000),
      random.below(10) === 0 ? 'snapshot' : 'level',
      random.below(2) === 0 ? 'bid' : 'ask',
      decimalOf(1 + random.below(9_999)),
      decimalOf(random.below(1e7)),
    ],
  },
  trade: {
    columns: { market: 'text', id: 'text', at: 'time', px: 'decimal', qty: 'decimal', side: 'text' },
    fields:
      'trade_id: { column: id }\n  venue_ts: { column: at, unit: iso }\n  price: { column: px }\n  size: { column: qty }\n  taker_side: { column: side }',
    row: (random) => [
      ticker(random),
      `t${random.below(150)}`,
      time(random),
      price(random),
      decimalOf(random.below(1e6)),
      random.mostly('yes'),
    ],
  },
  fee: {
    columns: { market: 'text', kind: 'text', factor: 'decimal', from: 'time' },
    fields:
      'series: { column: market }\n  fee_type: { column: kind }\n  fee_multiplier: { column: factor }\n  fee_from_ts: { column: from, unit: iso }',
    hasNoMarket: true,
    row: (random) => [ticker(random), random.mostly('quadratic'), price(random), random.mostly(time(random))],
  },
};

const mappingOf = ({ columns, fields, hasNoMarket = false }: RowKind): string => `
name: generated
match: { columns: [${Object.keys(columns).join(', ')}] }
fields:
  ${hasNoMarket ? '' : 'ticker: { column: market }'}
  ${fields}
`;

const csvOf = (names: readonly string[], rows: readonly (readonly Value[])[]): string => {
  const cell = (value: Value): string =>
    value?.includes('"') === true ? `"${value.replaceAll('"', '""')}"` : (value ?? '');
  return [names, ...rows].map((row) => row.map(cell).join(',')).join('\n');
};

const jsonLinesOf = (names: readonly string[], rows: readonly (readonly Value[])[]): string =>
  rows.map((row) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])))).join('\n');

const elements: Readonly<Record<Column, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  decimal: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  integer: { type: 'INT64' },
};

const stored = (type: Column, value: Value): unknown => {
  if (value === null || type === 'text') return value;
  if (type === 'decimal') return BigInt(value.replace('.', ''));
  return type === 'integer'
    ? BigInt(value)
    : BigInt(Date.parse(`${value.slice(0, 19)}Z`)) * 1_000n + BigInt(value.slice(20, 26));
};

const codecs = { GZIP: gzipSync, ZSTD: zstdCompressSync, BROTLI: brotliCompressSync } as const;

const parquetOf = (
  { columns }: RowKind,
  rows: readonly (readonly Value[])[],
  codec: 'SNAPPY' | keyof typeof codecs,
): Buffer => {
  const types = Object.entries(columns);
  const file = parquetWriteBuffer({
    codec,
    compressors: codecs,
    rowGroupSize: 70,
    pageSize: 2_000,
    columnData: types.map(([name, type], at) => ({ name, data: rows.map((row) => stored(type, row[at] ?? null)) })),
    schema: [
      { name: 'root', num_children: types.length },
      ...types.map(([name, type]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...elements[type] })),
    ],
  });
  return Buffer.from(file);
};

const arrowTypes: Readonly<Record<Column, DataType>> = {
  text: utf8(),
  decimal: decimal(18, 4, 128),
  time: timestamp(TimeUnit.MICROSECOND, 'UTC'),
  integer: int64(),
};

const arrowFileOf = ({ columns }: RowKind, rows: readonly (readonly Value[])[], options: ArrowOptions): Buffer =>
  arrowOf(
    Object.entries(columns).map(([name, type], at) => ({
      name,
      type: arrowTypes[type],
      values: rows.map((row) => stored(type, row[at] ?? null)),
      isStored: type === 'time',
    })),
    options,
  );

const sqliteOf = (names: readonly string[], rows: readonly (readonly Value[])[]): Promise<Buffer> =>
  withFolder(async (folder) => {
    const path = join(folder, 'x.db');
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE rows (${names.map((name) => `"${name}" TEXT`).join(', ')})`);
    const insert = database.prepare(`INSERT INTO rows VALUES (${names.map(() => '?').join(', ')})`);
    for (const row of rows) insert.run(...row);
    database.close();
    return readFile(path);
  });

/** What an import stored and reported, without what names the file or its lines. */
const imported = async (content: string | Uint8Array, mapping: string) => {
  const { reports, rows, trades, things, spans } = await importFiles({ rows: content }, { mapping });
  const [report] = reports;
  assert.ok(report && reports.length === 1);
  const { file: _, seconds: __, refusedFile: ___, numbering: ____, droppedFirst: _____, ...counts } = report;
  return { counts, rows, trades, things, spans };
};

describe('the same rows in any format give the same archive and the same report', () => {
  const seed = testNumber('seed', 20261129);
  for (const [name, kind] of Object.entries(kinds))
    it(`${name} (seed ${seed})`, async () => {
      const next = seededRandom(seed);
      const below = (limit: number): number => Math.floor(next() * limit);
      const mostly = (value: string): Value => (below(8) === 0 ? null : value);
      const rows = Array.from({ length: 300 }, (_, index) => kind.row({ index, below, mostly }));
      const names = Object.keys(kind.columns);
      const csv = csvOf(names, rows);
      const mapping = mappingOf(kind);
      const expected = await imported(csv, mapping);
      assert.equal(expected.counts.error, null);
      const { rowsRead } = expected.counts;
      assert.ok(rowsRead >= 300 && expected.things.size > 0, `${rowsRead} rows`);
      const others: Readonly<Record<string, string | Uint8Array>> = {
        'JSON lines': jsonLinesOf(names, rows),
        'CSV in zstd': zstdCompressSync(csv),
        SQLite: await sqliteOf(names, rows),
        'Arrow stream': arrowFileOf(kind, rows, { format: 'stream' }),
        'Arrow file, zstd': arrowFileOf(kind, rows, { format: 'file', codec: 'zstd' }),
        'Arrow file, lz4, in gzip': gzipSync(arrowFileOf(kind, rows, { format: 'file', codec: 'lz4', batchRows: 33 })),
        'Parquet, snappy': parquetOf(kind, rows, 'SNAPPY'),
        'Parquet, gzip': parquetOf(kind, rows, 'GZIP'),
        'Parquet, zstd': parquetOf(kind, rows, 'ZSTD'),
        'Parquet, brotli, in gzip': gzipSync(parquetOf(kind, rows, 'BROTLI')),
      };
      for (const [format, content] of Object.entries(others))
        assert.deepEqual(await imported(content, mapping), expected, format);
    });
});
