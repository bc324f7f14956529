import assert from 'node:assert/strict';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { type Cell, type Kind, kindOf, type Table } from './table.js';

const micros = z.bigint().transform(Number);
const decimals = (scale: number) =>
  // hyparquet multiplies by a power of ten, so 51 hundredths have float noise.
  z.number().transform((value) => Number(value.toFixed(scale)));
const price = decimals(6);
const nothing = z.null().or(z.undefined().transform(() => null));

const cells: Readonly<Record<Kind, z.ZodType<Cell>>> = {
  text: z.string().or(nothing),
  time: micros.or(nothing),
  integer: micros.or(nothing),
  period: z.int().or(nothing),
  price: price.or(nothing),
  size: price.or(nothing),
  amount: decimals(8).or(nothing),
  book: z.array(z.tuple([price, price])),
};

const utcMicros = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' };
const unsigned = (bitWidth: number) => ({ type: 'INTEGER', bitWidth, isSigned: false });
const decimal = (precision: number, scale: number) => ({ type: 'DECIMAL', precision, scale });
const logicalTypes: Readonly<Record<Kind, object>> = {
  text: { type: 'STRING' },
  time: utcMicros,
  integer: unsigned(64),
  period: unsigned(32),
  price: decimal(9, 6),
  size: decimal(18, 6),
  amount: decimal(18, 8),
  book: { type: 'LIST' },
};

/** Reads Parquet with hyparquet, by the types in the file. */
export const readParquet = async (file: Buffer): Promise<Table> => {
  const integerPart = new Uint8Array(file).buffer;
  const metadata = parquetMetadata(integerPart);
  const [root, ...elements] = metadata.schema;
  const topLevel = elements.filter(({ name }) => name !== 'list' && name !== 'element');
  const columns = topLevel.map(({ name }) => name);
  assert.equal(root?.num_children, columns.length);
  const kinds = columns.map(kindOf);
  for (const [at, { name, logical_type }] of topLevel.entries()) {
    assert.deepEqual(logical_type, logicalTypes[kinds[at] ?? 'text'], name);
  }
  const found = await parquetReadObjects({
    file: integerPart,
    metadata,
    compressors,
    parsers: { timestampFromMicroseconds: (us) => us },
  });
  assert.equal(BigInt(found.length), metadata.num_rows);
  return { columns, rows: found.map((row) => columns.map((name, at) => cells[kinds[at] ?? 'text'].parse(row[name]))) };
};
