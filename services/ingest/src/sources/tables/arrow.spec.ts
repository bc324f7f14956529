import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  bool,
  dateDay,
  decimal,
  dictionary,
  fixedSizeBinary,
  float32,
  float64,
  int32,
  int64,
  list,
  struct,
  timeMicrosecond,
  timestamp,
  TimeUnit,
  utf8,
} from '@uwdata/flechette';
import { importFiles } from '../../import/testing/import-files.js';
import { withFolder } from '../../import/testing/with-folder.js';
import { readTable } from '../testing/read-table.js';
import { type ArrowColumnData, type ArrowOptions, arrowOf, lz4FrameOf } from '../testing/arrow-files.js';
import { unpackedLz4Frame } from './lz4-frame.js';

const read = (content: Uint8Array) =>
  withFolder(async (folder) => {
    const path = join(folder, 'x.arrow');
    await writeFile(path, content);
    return readTable(path);
  });

const columns: readonly ArrowColumnData[] = [
  {
    name: 'ns',
    type: timestamp(TimeUnit.NANOSECOND, 'UTC'),
    values: [1_771_993_200_123_456_789n, null],
    isStored: true,
  },
  { name: 's', type: timestamp(TimeUnit.SECOND), values: [1_771_993_200n, null], isStored: true },
  { name: 'price', type: decimal(18, 4, 128), values: [-5_250n, null] },
  { name: 'big', type: int64(), values: [9_007_199_254_740_993n, null] },
  { name: 'small', type: int32(), values: [7, null] },
  { name: 'half', type: float32(), values: [0.1, null] },
  { name: 'double', type: float64(), values: [0.1, null] },
  { name: 'flag', type: bool(), values: [true, null] },
  { name: 'day', type: dateDay(), values: [new Date('2026-08-10'), null] },
  { name: 'clock', type: timeMicrosecond(), values: [3_600_000_001n, null] },
  { name: 'id', type: fixedSizeBinary(4), values: [Buffer.from('0xab'), null] },
  { name: 'side', type: dictionary(utf8(), int32()), values: ['BUY', null] },
  { name: 'levels', type: list(list(utf8())), values: [[['0.5', '7']], null] },
  { name: 'raw', type: struct({ bid: float64(), seq: int64() }), values: [{ bid: 0.25, seq: 3n }, null] },
];

const first = {
  ns: '2026-02-25T04:20:00.123456789Z',
  s: '2026-02-25T04:20:00Z',
  price: '-0.5250',
  big: '9007199254740993',
  small: 7,
  half: 0.1,
  double: 0.1,
  flag: true,
  day: '2026-08-10',
  clock: '01:00:00.000001',
  id: '0xab',
  side: 'BUY',
  levels: [['0.5', '7']],
  raw: { bid: 0.25, seq: 3 },
};

const mapping = `
name: ticks
match: { columns: [at, market, bid] }
fields:
  ticker: { column: market }
  ts: { column: at }
  yes_best_bid: { column: bid }
`;
const quotes = (rows: number, options: ArrowOptions = {}): Buffer => {
  const index = Array.from({ length: rows }, (_, row) => row);
  const data: readonly ArrowColumnData[] = [
    {
      name: 'at',
      type: timestamp(TimeUnit.MILLISECOND, 'UTC'),
      values: index.map((row) => 1_771_993_200_000n + BigInt(row)),
      isStored: true,
    },
    { name: 'market', type: dictionary(utf8(), int32()), values: index.map((row) => `A-${row % 3}`) },
    { name: 'bid', type: decimal(9, 4, 128), values: index.map((row) => BigInt(row % 10_000)) },
    { name: 'zero', type: int64(), values: index.map(() => 0n) },
  ];
  return arrowOf(data, options);
};

describe('Arrow IPC', () => {
  for (const format of ['stream', 'file'] as const)
    it(`a ${format} gives every type with all of its digits, and nulls`, async () => {
      const { values, columns: found } = await read(arrowOf(columns, { format }));
      assert.deepEqual(values[0], first);
      assert.deepEqual(
        Object.values(values[1] ?? {}),
        Object.keys(first).map(() => null),
      );
      assert.deepEqual(found?.slice(0, 4), [
        'ns timestamp[ns, UTC]',
        's timestamp[s]',
        'price decimal(18,4)',
        'big int64',
      ]);
      assert.deepEqual(found?.slice(-2), ['raw.bid double', 'raw.seq int64']);
    });

  it('is imported batch by batch, compressed or not', async () => {
    const whole = await importFiles({ 'q.arrow': quotes(500) }, { mapping });
    assert.deepEqual([whole.report.error, whole.rows.size], [null, 500]);
    for (const options of [
      { codec: 'zstd' },
      { codec: 'lz4' },
      { codec: 'lz4', format: 'file', batchRows: 7 },
    ] as const) {
      const { rows, report } = await importFiles({ 'q.arrow': quotes(500, options) }, { mapping });
      assert.deepEqual([report.error, rows], [null, whole.rows]);
    }
  });

  it('that is cut, damaged or nested too deep is an error that names the place, and the rows before it are stored', async () => {
    const [file, stream] = [quotes(500, { format: 'file' }), quotes(500)];
    const errorOf = async (content: Uint8Array) => {
      const { report, rows } = await importFiles({ 'q.arrow': content }, { mapping });
      return { error: report.error ?? '', stored: rows.size };
    };
    assert.match(
      (await errorOf(file.subarray(0, file.length / 2))).error,
      /cut: its footer is missing at its end \(byte \d+\)/,
    );
    const wrong = Buffer.from(file);
    wrong.writeInt32LE(99_999_999, wrong.length - 10);
    assert.match((await errorOf(wrong)).error, /footer of the Arrow file is wrong: it states 99999999 bytes/);
    const cut = await errorOf(stream.subarray(0, Math.floor(stream.length * 0.7)));
    assert.match(cut.error, /Arrow message at byte \d+: the file is cut/);
    assert.ok(cut.stored > 0 && cut.stored < 500, String(cut.stored));
    let deep = list(utf8());
    for (let depth = 0; depth < 100; depth += 1) deep = list(deep);
    const nested = await errorOf(arrowOf([{ name: 'deep', type: deep, values: [null] }]));
    assert.match(nested.error, /the column deep is nested 102 levels deep\. Up to 32 levels/);
  });

  it('a damaged byte anywhere is no fault of the importer', async () => {
    const stream = quotes(60, { batchRows: 20 });
    for (let at = 8; at < stream.length; at += 37) {
      const damaged = Buffer.from(stream);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at);
      await importFiles({ 'q.arrow': damaged }, { mapping });
    }
  });

  it('lz4 frames are unpacked, also with matches that overlap', () => {
    const bytes = Buffer.from(`start${'a'.repeat(1_000)}middle${'\0'.repeat(300)}end of it`);
    assert.deepEqual(Buffer.from(unpackedLz4Frame(lz4FrameOf(bytes))), bytes);
    assert.throws(() => unpackedLz4Frame(lz4FrameOf(bytes).subarray(0, 20)));
  });
});
