import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { importFiles } from '../../import/testing/import-files.js';

const mapping = `
name: ticks
match: { columns: [at, market, bid] }
fields:
  ticker: { column: market }
  ts: { column: at }
  yes_best_bid: { column: bid }
`;

const at = 1_771_993_200_000n;
const timestamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS', isAdjustedToUTC = true): SchemaElement => ({
  name: 'at',
  type: 'INT64',
  repetition_type: 'REQUIRED',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit },
});
const decimal: SchemaElement = {
  name: 'bid',
  type: 'INT32',
  repetition_type: 'OPTIONAL',
  converted_type: 'DECIMAL',
  precision: 9,
  scale: 4,
};

/** A file of quotes a millisecond apart. */
const quotes = (
  rows: number,
  {
    time = timestamp('MILLIS'),
    factor = 1n,
    bid = decimal,
    ...options
  }: {
    time?: SchemaElement;
    factor?: bigint;
    bid?: SchemaElement;
    rowGroupSize?: number;
    pageSize?: number;
  } = {},
): Buffer => {
  const index = Array.from({ length: rows }, (_, row) => row);
  const columnData = [
    { name: 'at', data: index.map((row) => (at + BigInt(row)) * factor) },
    { name: 'market', data: index.map(() => 'A-1') },
    { name: 'bid', data: index.map((row) => (bid === decimal ? BigInt(row % 10_000) : (row % 10_000) / 10_000)) },
  ];
  const market: SchemaElement = {
    name: 'market',
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    repetition_type: 'REQUIRED',
  };
  const schema: SchemaElement[] = [{ name: 'root', num_children: 3 }, time, market, bid];
  return Buffer.from(parquetWriteBuffer({ columnData, schema, ...options }));
};

const quote = async (file: Buffer, fields = mapping) => {
  const { report, rows } = await importFiles({ 'q.parquet': file }, { mapping: fields });
  return { report, rows: Array.from(rows.values(), ({ ts, bid }) => `${ts} ${bid}`) };
};

describe('columns know their types', () => {
  for (const [unit, factor] of [
    ['MILLIS', 1n],
    ['MICROS', 1_000n],
    ['NANOS', 1_000_000n],
  ] as const)
    it(`a timestamp in ${unit} needs no unit, and decimals are exact`, async () => {
      const { rows, report } = await quote(quotes(3, { time: timestamp(unit), factor }));
      assert.deepEqual(rows, ['1771993200.000000 0', '1771993200.001000 0.0001', '1771993200.002000 0.0002']);
      assert.deepEqual([report.error, report.warnings.size, report.floats.size], [null, 0, 0]);
    });

  it('a wrongly declared unit is refused with the right one, which the mapping can state', async () => {
    const wrong = quotes(3, { time: timestamp('MICROS') });
    const { report } = await quote(wrong);
    assert.deepEqual(
      [...report.refused],
      [
        [
          'ts: not a time from 1980 to 2100 in us, the unit of its column. It is one in ms: state unit: ms in the mapping',
          3,
        ],
      ],
    );
    const stated = await quote(wrong, mapping.replace('{ column: at }', '{ column: at, unit: ms }'));
    assert.deepEqual(stated.rows[2], '1771993200.002000 0.0002');
  });

  it('a timestamp without a zone is read as UTC with a warning, or in the zone of the mapping', async () => {
    const local = quotes(1, { time: timestamp('MILLIS', false) });
    const { report, rows } = await quote(local);
    assert.deepEqual(
      [rows, [...report.warnings.keys()]],
      [['1771993200.000000 0'], ['the times of the column at have no zone and are read as UTC']],
    );
    const zoned = await quote(
      local,
      mapping.replace('{ column: at }', '{ column: at, assume_zone: America/New_York }'),
    );
    assert.deepEqual([zoned.rows, zoned.report.warnings.size], [['1772011200.000000 0'], 0]);
  });

  it('binary floats are read by their shortest decimal and counted', async () => {
    const { report, rows } = await quote(
      quotes(3, { bid: { name: 'bid', type: 'DOUBLE', repetition_type: 'REQUIRED' } }),
    );
    assert.deepEqual(rows[2], '1771993200.002000 0.0002');
    assert.deepEqual([...report.floats], [['bid', 2]]);
  });

  it('a number without a unit is an error that names the column', async () => {
    const { report } = await quote(quotes(1, { time: { name: 'at', type: 'INT64', repetition_type: 'REQUIRED' } }));
    assert.match(
      report.error ?? '',
      /q\.parquet: the column at is not a column of times, so the field ts of the mapping ticks needs its unit/,
    );
  });
});

it('rows of many row groups and pages are read once and in order', async () => {
  const { report, rows } = await quote(quotes(5_000, { rowGroupSize: 700, pageSize: 512 }));
  assert.equal(report.observationsStored, 5_000);
  assert.equal(rows[4_999], '1771993204.999000 0.4999');
});

it('a row group without rows has no pages, and the groups after it are read', async () => {
  const writer = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 3 },
    timestamp('MILLIS'),
    { name: 'market', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    { name: 'bid', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ];
  const file = new ParquetWriter({ writer, schema });
  await file.write({
    columnData: [
      { name: 'at', data: [at] },
      { name: 'market', data: ['A-1'] },
      { name: 'bid', data: [0.5] },
    ],
  });
  const [group = assert.fail()] = file.row_groups;
  // As pyarrow writes a table without rows.
  const columns = group.columns.map((column) => ({
    ...column,
    ...(column.meta_data && { meta_data: { ...column.meta_data, data_page_offset: 0n, total_compressed_size: 0n } }),
  }));
  file.row_groups.unshift({ ...group, columns, num_rows: 0n });
  await file.finish();
  const { report, rows } = await quote(Buffer.from(writer.getBuffer()));
  assert.equal(report.error, null);
  assert.deepEqual(rows, ['1771993200.000000 0.5']);
});

describe('a damaged file is an error with its place, and its rows before are stored', () => {
  const whole = quotes(3_000, { rowGroupSize: 1_000 });

  it('cut in the middle', async () => {
    const { report } = await quote(whole.subarray(0, whole.length >> 1));
    assert.match(
      report.error ?? '',
      /q\.parquet: the Parquet file is cut: its footer is missing at its end \(byte \d+\)$/,
    );
  });

  it('a wrong footer', async () => {
    const wrong = Buffer.from(whole);
    wrong.writeUInt32LE(1e9, wrong.length - 8);
    assert.match(
      (await quote(wrong)).report.error ?? '',
      /the footer of the Parquet file is wrong: it states 1000000000 bytes/,
    );
    const noise = Buffer.from(whole);
    noise.fill(0x9f, whole.length - 200, whole.length - 8);
    assert.match((await quote(noise)).report.error ?? '', /the footer of the Parquet file at byte \d+ is damaged/);
  });

  it('a corrupt page', async () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 4, 400);
    const { report } = await quote(damaged);
    assert.match(report.error ?? '', /q\.parquet: row group 1, column at, page at byte 4: /);
    assert.equal(report.observationsStored, 0);
  });

  it('a nested depth of 100', async () => {
    const nested = Array.from({ length: 100 }, (_, depth): SchemaElement => ({
      name: `l${depth}`,
      num_children: 1,
      repetition_type: 'OPTIONAL',
    }));
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 1 },
      ...nested,
      { name: 'leaf', type: 'INT32', repetition_type: 'OPTIONAL' },
    ];
    const file = parquetWriteBuffer({ columnData: [{ name: 'l0', data: [null] }], schema });
    const { report } = await quote(Buffer.from(file));
    assert.match(report.error ?? '', /the column l0 is nested 101 levels deep\. Up to 32 levels are supported/);
  });
});

it('another type of a column in the second file of an import is read by its own type', async () => {
  const second = quotes(2, { time: timestamp('NANOS'), factor: 1_000_000n, bid: { name: 'bid', type: 'DOUBLE' } });
  const { reports } = await importFiles({ 'a.parquet': quotes(2), 'b.parquet': second }, { mapping });
  assert.deepEqual(
    reports.map(({ error, rowCounts }) => [error, rowCounts]),
    [
      [null, { stored: 2, equal: 0, different: 0 }],
      [null, { stored: 0, equal: 2, different: 0 }],
    ],
  );
});
