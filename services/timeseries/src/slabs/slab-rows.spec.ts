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

  it('have values in the units of their last digits', async () => {
    const leads = ['0.48,1,60000.12345678,', ',,,', '0.000001,-0.5,0.00000001,'];
    const rows = leads.map((lead, at) => `${at}v${lead}{"a":${at}}\n${mark}`);
    const found = [];
    for await (const group of rowsOfAnswer(Readable.from([Buffer.from(`${rows.join('')}.3`)]), mark)) {
      found.push(...group.map(({ values, text }) => [values?.bid, values?.ask, values?.coin, text.toString()]));
    }
    assert.deepEqual(found, [
      [480_000, 1_000_000, 6_000_012_345_678, '{"a":0}'],
      [NaN, NaN, NaN, '{"a":1}'],
      [1, -500_000, 1, '{"a":2}'],
    ]);
  });

  it('have no safe integer for a value that a number cannot have exactly', async () => {
    const large = Buffer.from(`1v0.5,0.5,90071992.54740993,{}\n${mark}.1`);
    for await (const [row] of rowsOfAnswer(Readable.from([large]), mark)) {
      assert.equal(Number.isSafeInteger(row?.values?.coin), false);
    }
  });

  it('are refused if a value is no decimal', async () => {
    for (const lead of ['0.5,0.5,1.2.3,', '0.5,x,1,', '0.1234567,0.5,1,', '0.5']) {
      await assert.rejects(rowsIn(`1v${lead}{}\n${mark}.1`, 100), lead);
    }
  });

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
