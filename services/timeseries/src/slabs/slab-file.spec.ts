import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { openSlab } from './slab-file.js';
import { blockRowsMax, noPrice, SlabFault, type SlabKey } from './slab-format.js';
import { selectRows } from './select-rows.js';
import { SlabTooLarge, type SlabRow, writeSlab } from './write-slab.js';

const key: SlabKey = { ticker: 'M', version: 3, kind: 'k', fromUs: 0, toUs: 1e15, repeated: '', textVersion: 'v' };
const bytesMax = 64 * 1_048_576;

async function* inGroups(rows: readonly SlabRow[], size: number): AsyncGenerator<readonly SlabRow[], void, void> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

const rowAt = (us: number, text: string, hasBook = false): SlabRow => ({ us, hasBook, text: Buffer.from(text) });
const textRows = (count: number, textOf = (at: number) => `row ${at}`): SlabRow[] =>
  Array.from({ length: count }, (_, at) => rowAt(1_000 + at * 10, textOf(at), at % 3 === 0));
const valueRows = (count: number): SlabRow[] =>
  textRows(count).map((row, at) => ({
    ...row,
    values: { bid: at % 5 === 0 ? NaN : at, ask: at % 7 === 0 ? NaN : at + 1, coin: at % 3 === 0 ? NaN : 2 ** 52 + at },
  }));

describe('the file of a slab', () => {
  let folder: string;
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slab-file-'));
  });
  after(() => rm(folder, { recursive: true }));

  const written = async (rows: readonly SlabRow[], max = bytesMax): Promise<string> => {
    const path = join(folder, `${(count += 1)}.slab`);
    const size = await writeSlab(path, { key, separator: ',', rows: inGroups(rows, 100), bytesMax: max });
    assert.equal(size, (await stat(path)).size);
    return path;
  };
  const textOf = async (path: string, startUs: number, endUs: number): Promise<string> => {
    const slab = await openSlab(path, key);
    slab.enter();
    try {
      const { sources, textLengths } = selectRows([await slab.rows({ startUs, endUs })], { stepUs: 0, limit: 1e6 });
      const target = Buffer.alloc(textLengths.reduce((sum, length) => sum + length, 0));
      for (const { ranges } of sources) await slab.copyText(ranges, target, 0);
      return target.toString();
    } finally {
      slab.leave();
      slab.close();
    }
  };
  const valuesIn = async (path: string, startUs: number, endUs: number): Promise<unknown[] | undefined> => {
    const slab = await openSlab(path, key);
    slab.enter();
    try {
      if (!slab.hasValues) return undefined;
      const found: unknown[] = [];
      for await (const { us, bid, ask, coin } of slab.values({ startUs, endUs })) {
        for (let row = 0; row < us.length; row += 1) found.push([us[row], bid[row], ask[row], coin[row]]);
      }
      return found;
    } finally {
      slab.leave();
      slab.close();
    }
  };
  const orNoPrice = (units = NaN): number => (Number.isNaN(units) ? noPrice : units);
  const expectedValues = (rows: readonly SlabRow[], startUs: number, endUs: number): unknown[] => {
    const inside = rows.filter(({ us }) => us >= startUs && us < endUs);
    const earlier = rows.findLast(({ us }) => us < startUs);
    return [...(earlier === undefined ? [] : [earlier]), ...inside].map(({ us, values }) => [
      us,
      orNoPrice(values?.bid),
      orNoPrice(values?.ask),
      values?.coin,
    ]);
  };
  const expected = (rows: readonly SlabRow[], startUs: number, endUs: number): string =>
    rows
      .filter(({ us }) => us >= startUs && us < endUs)
      .map(({ text }) => `${text.toString()},`)
      .join('');

  it('has the rows of every window, also at the ends of blocks', async () => {
    const rows = textRows(3 * blockRowsMax + 7);
    const path = await written(rows);
    const ends = [0, 1, blockRowsMax - 1, blockRowsMax, blockRowsMax + 1, 2 * blockRowsMax, rows.length];
    const edges = ends.flatMap((at) => [-1, 0, 1].map((more) => 1_000 + at * 10 + more));
    for (const startUs of edges) {
      for (const endUs of edges.filter((us) => us >= startUs)) {
        assert.equal(await textOf(path, startUs, endUs), expected(rows, startUs, endUs), `${startUs} to ${endUs}`);
      }
    }
  });

  it('has the values of every window and of the row before it, also at the ends of blocks', async () => {
    const rows = valueRows(3 * blockRowsMax + 7);
    const path = await written(rows);
    const ends = [0, 1, blockRowsMax - 1, blockRowsMax, blockRowsMax + 1, 2 * blockRowsMax, rows.length];
    const edges = ends.flatMap((at) => [-1, 0, 1].map((more) => 1_000 + at * 10 + more));
    for (const startUs of edges) {
      for (const endUs of edges.filter((us) => us > startUs)) {
        const what = `${startUs} to ${endUs}`;
        assert.deepEqual(await valuesIn(path, startUs, endUs), expectedValues(rows, startUs, endUs), what);
      }
    }
    assert.equal(await textOf(path, 0, 1e15), expected(rows, 0, 1e15));
  });

  it('has the values of a window that is read in several pieces', async () => {
    const rows = valueRows(130 * blockRowsMax);
    const path = await written(rows);
    assert.deepEqual(await valuesIn(path, 1_015, 1e15), expectedValues(rows, 1_015, 1e15));
  });

  it('has no values if a row has none, or one that no number has exactly', async () => {
    for (const values of [
      undefined,
      { bid: 1, ask: 1, coin: 2 ** 53 },
      { bid: -(2 ** 31), ask: 1, coin: 1 },
      { bid: 1, ask: 2 ** 31, coin: 1 },
    ]) {
      const [first, ...rest] = valueRows(600);
      assert.ok(first !== undefined);
      const { values: _other, ...row } = first;
      const path = await written([...rest.slice(0, 300), values === undefined ? row : { ...row, values }]);
      assert.equal(await valuesIn(path, 0, 1e15), undefined);
    }
  });

  it('shares a step with the next slab, which then has the last row of the step', async () => {
    const first = [rowAt(10, 'a'), rowAt(25, 'bb'), rowAt(31, 'ccc')];
    const paths = [await written(first), await written([rowAt(38, 'dddd'), rowAt(41, 'eeeee')])];
    const slabs = await Promise.all(paths.map((path) => openSlab(path, key)));
    for (const slab of slabs) slab.enter();
    const parts = await Promise.all(slabs.map((slab) => slab.rows({ startUs: 0, endUs: 1_000 })));
    const lengthsOf = (limit: number) => {
      const { textLengths, lastUs, rowsBeforeLimit, matched } = selectRows(parts, { stepUs: 10, limit });
      return [textLengths.map((length) => length - 1), lastUs, rowsBeforeLimit, matched];
    };
    assert.deepEqual(lengthsOf(9), [[1, 2, 4, 5], 41, 4, 5]);
    assert.deepEqual(lengthsOf(3), [[1, 2, 4], 38, 4, 5]);
    for (const slab of slabs) {
      slab.leave();
      slab.close();
    }
  });

  it('has no rows', async () => {
    const path = await written([]);
    assert.equal(await textOf(path, 0, 1e15), '');
    assert.deepEqual(await valuesIn(path, 0, 1e15), []);
  });

  it('has rows of any length', async () => {
    const random = seededRandom(7);
    const rows = textRows(60, (at) => String(at).repeat(1 + Math.floor(random() * 40_000)));
    const path = await written(rows);
    assert.equal(await textOf(path, 1_005, 1_500), expected(rows, 1_005, 1_500));
  });

  it('is refused for another market, version, kind, field or release', async () => {
    const path = await written(textRows(3));
    for (const other of [
      { ticker: 'N' },
      { version: 4 },
      { kind: 'l' },
      { toUs: 5 },
      { repeated: 'E' },
      { textVersion: 'w' },
    ]) {
      await assert.rejects(openSlab(path, { ...key, ...other }), SlabFault);
    }
  });

  it('is refused wherever it is cut', async () => {
    const path = await written(textRows(300));
    const { size } = await stat(path);
    for (const length of [size - 1, size - 40, Math.floor(size / 2), 10, 0]) {
      await truncate(path, length);
      await assert.rejects(textOf(path, 0, 1e15), SlabFault, `${length} of ${size} bytes`);
    }
  });

  it('is refused with any other byte', async () => {
    const rows = valueRows(40);
    const path = await written(rows);
    const bytes = await readFile(path);
    const whole = JSON.stringify([expected(rows, 0, 1e15), expectedValues(rows, 0, 1e15)]);
    const readAll = async (): Promise<string> =>
      JSON.stringify([await textOf(path, 0, 1e15), await valuesIn(path, 0, 1e15)]);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      await writeFile(path, changed);
      // Bytes between the parts belong to nothing.
      const answer = await readAll().catch((error: unknown) => error);
      assert.ok(answer instanceof Error || answer === whole, `byte ${at}: ${String(answer).slice(0, 100)}`);
    }
  });

  it('leaves nothing behind if it is too large', async () => {
    const path = join(folder, 'large.slab');
    const content = { key, separator: ',', rows: inGroups(textRows(1_000), 10), bytesMax: 500 };
    await assert.rejects(writeSlab(path, content), SlabTooLarge);
    await assert.rejects(stat(path));
    await assert.rejects(stat(`${path}.tmp`));
  });
});
