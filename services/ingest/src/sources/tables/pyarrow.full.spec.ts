// In the full run: it installs pyarrow, which is 40 MB, from PyPI.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pythonWith } from '@almanac/testing';
import { importFiles } from '../../import/testing/import-files.js';
import { readTable } from '../testing/read-table.js';

const program = fileURLToPath(new URL('../../../src/sources/testing/pyarrow_files.py', import.meta.url));

/** A timestamp of Arrow needs no unit. */
const mappingOf = (ts: string): string => `
name: ticks
match: { columns: [at, market, bid] }
fields:
  ticker: { column: market }
  ts: ${ts}
  yes_best_bid: { column: bid }
`;

describe('Arrow files of pyarrow', { timeout: 580_000 }, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-pyarrow-'));
    const python = await pythonWith(folder, ['pyarrow']);
    await promisify(execFile)(python, [program, folder]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const linesOf = async (name: string): Promise<unknown[]> => {
    const text = await readFile(join(folder, `${name}.jsonl`), 'utf8');
    return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
  };

  it('have the values of the same rows as JSON lines: every type, codec, format, batch size and kind of dictionary', async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.arrow') && !name.startsWith('refused-'));
    assert.ok(files.length >= 18, files.join(' '));
    const faults: string[] = [];
    for (const file of files) {
      const expected = await linesOf(file.replace('.arrow', ''));
      const { values } = await readTable(join(folder, file));
      assert.equal(values.length, expected.length, file);
      for (const [row, one] of expected.entries()) faults.push(...differences(one, values[row], `${file} ${row}`));
    }
    assert.deepEqual(faults.slice(0, 20), [], `${faults.length} values differ`);
  });

  it('that cannot be read are refused by the name of the column', async () => {
    const scale = /: the column scaled has decimals with a negative scale, .* Cast it to decimal\(38, 0\)\.$/;
    await assert.rejects(readTable(join(folder, 'refused-scale.arrow')), scale);
    const runs = /: the column runs has runs in a format before version 5, .* Write the file again in version 5\.$/;
    await assert.rejects(readTable(join(folder, 'refused-runs.arrow')), runs);
  });

  it('give the archive of the same rows as JSON lines', async () => {
    const imported = async (name: string, ts: string) => {
      const content = await readFile(join(folder, name));
      const { rows, report } = await importFiles({ [name]: content }, { mapping: mappingOf(ts) });
      assert.deepEqual([report.error, report.refusals], [null, 0]);
      return rows;
    };
    const fromLines = await imported('quotes.jsonl', '{ column: at, unit: iso }');
    assert.equal(fromLines.size, 5_000);
    assert.deepEqual(await imported('quotes.feather', '{ column: at }'), fromLines);
  });
});

/** A sentence for each column of a row that differs. */
const differences = (expected: unknown, found: unknown, row: string): string[] => {
  const [want, have] = [expected, found] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(want), ...Object.keys(have)])].flatMap((name) => {
    const [one, other] = [have[name], want[name]].map((value) => JSON.stringify(value));
    return one === other ? [] : [`${row}: ${name} is ${one}, not ${other}`];
  });
};
