import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { memoryMeter } from '../../import/testing/memory-meter.js';
import { openParquet } from './parquet.js';

const rows = 500_000;
const names = ['a', 'b', 'c', 'd'];

/** One row group with one page a column, as ClickHouse and Spark write them: a code of a few bits a row is a small page. */
const oneGroup = (repetition: 'OPTIONAL' | 'REQUIRED'): Buffer => {
  const data = Array.from({ length: rows }, (_, row) =>
    repetition === 'OPTIONAL' && row % 7 === 0 ? null : `T-${row % 500}`,
  );
  const schema: SchemaElement[] = [
    { name: 'root', num_children: names.length },
    ...names.map((name): SchemaElement => ({
      name,
      type: 'BYTE_ARRAY',
      converted_type: 'UTF8',
      repetition_type: repetition,
    })),
  ];
  const columnData = names.map((name) => ({ name, data }));
  return Buffer.from(parquetWriteBuffer({ columnData, schema, rowGroupSize: rows, pageSize: 64 * 1024 * 1024 }));
};

describe('a row group whose pages have all of its rows', () => {
  for (const repetition of ['REQUIRED', 'OPTIONAL'] as const)
    it(`is read in the memory of its bytes, ${repetition}`, async () => {
      const file = oneGroup(repetition);
      const random = { size: file.length, read: async (at: number, length: number) => file.subarray(at, at + length) };
      const memoryMb = memoryMeter();
      const before = memoryMb();
      const { blocks } = await openParquet('q.parquet', { footer: random, pages: random });
      let [read, blocksRead, peak] = [0, 0, 0];
      for await (const { records } of blocks()) {
        const at = read + records.length - 1;
        const expected = repetition === 'OPTIONAL' && at % 7 === 0 ? null : `T-${at % 500}`;
        assert.deepEqual(records.at(-1)?.value, Object.fromEntries(names.map((name) => [name, expected])));
        read += records.length;
        blocksRead += 1;
        if (blocksRead % 50 === 1) peak = Math.max(peak, memoryMb() - before);
      }
      assert.equal(read, rows);
      assert.ok(peak < 8, `${peak} MB more`);
    });
});
