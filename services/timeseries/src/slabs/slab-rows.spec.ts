import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { rowsOfAnswer } from './slab-rows.js';

const mark = 'M-A-R-K';
const answer = `1771992900000001t{"a":"\nx"}\n${mark}1771992900000002b{"b":1}\n${mark}.2`;

const rowsIn = async (text: string, pieceBytes: number) => {
  const pieces = Array.from({ length: Math.ceil(text.length / pieceBytes) }, (_, at) =>
    Buffer.from(text.slice(at * pieceBytes, (at + 1) * pieceBytes)),
  );
  const rows = [];
  for await (const group of rowsOfAnswer(Readable.from(pieces), mark)) rows.push(...group);
  return rows.map(({ us, hasBook, text: bytes }) => [us, hasBook, bytes.toString()]);
};

describe('the rows of an answer for a slab', () => {
  for (const bytes of [1, 2, 7, 30, 1_000]) {
    it(`are the same in pieces of ${bytes} bytes`, async () => {
      assert.deepEqual(await rowsIn(answer, bytes), [
        [1_771_992_900_000_001, false, '{"a":"\nx"}'],
        [1_771_992_900_000_002, true, '{"b":1}'],
      ]);
    });
  }

  it('are none', async () => {
    assert.deepEqual(await rowsIn(`\n${mark}.0\n`, 100), []);
  });

  for (const [what, text] of [
    ['is cut after a row', answer.slice(0, answer.lastIndexOf('\n'))],
    ['is cut in its number', answer.slice(0, -1)],
    ['has fewer rows than it says', answer.replace('.2', '.3')],
    ['is empty', ''],
  ] as const) {
    it(`are refused if it ${what}`, async () => {
      await assert.rejects(rowsIn(text, 10));
    });
  }
});
