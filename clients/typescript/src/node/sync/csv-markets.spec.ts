import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { marketsInCsv } from './csv-markets.js';

const placesOf = async (text: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-csv-'));
  try {
    await writeFile(join(folder, 'file.csv'), text);
    return await marketsInCsv(join(folder, 'file.csv'));
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the markets of a CSV file', () => {
  it('begin at the byte of their first row, with its time', async () => {
    const header = '"title","ticker","ts"\r\n';
    const first = '"Größe","A-1",1771992900.25\r\n"x","A-1",1771992901\r\n';
    assert.deepEqual(await placesOf(`${header}${first}"y","B",5.000001\r\n`), [
      ['A-1', Buffer.byteLength(header), 1_771_992_900_250_000],
      ['B', Buffer.byteLength(header + first), 5_000_001],
    ]);
  });

  it('are found behind line breaks, commas and quotes in texts', async () => {
    const header = 'ticker,title,ts\n';
    const first = 'A,"one\nB,""two"", three",7\n';
    assert.deepEqual(await placesOf(`${header}${first}"B""C",,\n`), [
      ['A', header.length, 7_000_000],
      ['B"C', header.length + first.length, 0],
    ]);
  });

  it('are found without a line break at the end, and not without the columns', async () => {
    assert.deepEqual(await placesOf('ticker,ts\nA,1'), [['A', 10, 1_000_000]]);
    assert.deepEqual(await placesOf('ticker,ts\n'), []);
    await assert.rejects(placesOf('a,b\n1,2\n'), /file_mismatch/);
  });
});
