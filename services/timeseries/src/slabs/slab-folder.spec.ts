import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { type Discarded, type SlabFolder, slabFolder } from './slab-folder.js';
import type { SlabKey } from './slab-format.js';
import type { SlabContent, SlabRow } from './write-slab.js';

const keyOf = (ticker: string, version = 1): SlabKey => ({
  ticker,
  version,
  kind: 'k',
  fromUs: 0,
  toUs: 1e15,
  repeated: '',
  textVersion: 'v',
});

async function* oneGroup(rows: readonly SlabRow[]): AsyncGenerator<readonly SlabRow[], void, void> {
  yield rows;
}

const contentOf = (key: SlabKey): SlabContent => {
  const rows = [{ us: 5, hasBook: false, text: Buffer.from('x'.repeat(1_000)) }];
  return { key, separator: ',', rows: oneGroup(rows), bytesMax: 1e6 };
};
/** More than one such slab has, less than two. */
const oneSlabBytes = 1_500;

describe('the folder of slabs', () => {
  let path: string;
  let discarded: Discarded[];
  let open: SlabFolder[];
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'slab-folder-'));
    discarded = [];
    open = [];
  });
  afterEach(async () => {
    for (const folder of open) await folder.stop();
    await rm(path, { recursive: true });
  });
  const folderOf = async (bytesMax = 1e6): Promise<SlabFolder> => {
    const log = { warn: () => undefined };
    const folder = slabFolder({ folder: path, bytesMax, onDiscarded: (reason) => discarded.push(reason), log });
    open.push(folder);
    await folder.found;
    return folder;
  };
  const rowsOf = async (folder: SlabFolder, key: SlabKey): Promise<number | undefined> => {
    const slab = await folder.open(key);
    if (slab === undefined) return undefined;
    try {
      return (await slab.rows({ startUs: 0, endUs: 10 })).us.length;
    } finally {
      slab.leave();
    }
  };

  it('has the slabs of an earlier process', async () => {
    const earlier = await folderOf();
    await earlier.write(contentOf(keyOf('A')));
    const later = await folderOf();
    assert.equal(await rowsOf(later, keyOf('A')), 1);
    assert.equal(later.bytes, earlier.bytes);
  });

  it('deletes what an earlier process did not finish, and nothing else', async () => {
    await writeFile(join(path, 'a.slab.tmp'), 'half');
    await writeFile(join(path, 'notes.txt'), 'of somebody else');
    await folderOf();
    assert.deepEqual(await readdir(path), ['notes.txt']);
  });

  it('deletes the least recently used slab when it is full', async () => {
    const folder = await folderOf(2 * oneSlabBytes);
    await folder.write(contentOf(keyOf('A')));
    await folder.write(contentOf(keyOf('B')));
    assert.equal(await rowsOf(folder, keyOf('A')), 1);
    await folder.write(contentOf(keyOf('C')));
    assert.deepEqual(
      ['A', 'B', 'C'].map((ticker) => folder.has(keyOf(ticker))),
      [true, false, true],
    );
    assert.deepEqual(discarded, ['space']);
    await eventually(async () => assert.equal((await readdir(path)).length, 2));
  });

  it('makes room at the start if it may be smaller than before', async () => {
    const before = await folderOf();
    for (const ticker of ['A', 'B', 'C']) await before.write(contentOf(keyOf(ticker)));
    const smaller = await folderOf(oneSlabBytes);
    assert.equal(smaller.count, 1);
  });

  it('does not store a slab that is larger than all of its space', async () => {
    const folder = await folderOf(100);
    await folder.write(contentOf(keyOf('A')));
    assert.equal(folder.has(keyOf('A')), false);
    await eventually(async () => assert.deepEqual(await readdir(path), []));
  });

  it('has one version of a slab, the newest', async () => {
    const folder = await folderOf();
    await folder.write(contentOf(keyOf('A', 2)));
    await folder.write(contentOf(keyOf('A', 3)));
    await folder.write(contentOf(keyOf('A', 2)));
    assert.equal(await rowsOf(folder, keyOf('A', 2)), undefined);
    assert.equal(await rowsOf(folder, keyOf('A', 3)), 1);
    await eventually(async () => assert.equal((await readdir(path)).length, 1));
  });

  it('has another slab for other fields that its rows repeat', async () => {
    const folder = await folderOf();
    const [one, other] = ['E-1', 'E-2'].map((repeated) => ({ ...keyOf('A'), repeated }));
    assert.ok(one !== undefined && other !== undefined);
    await folder.write(contentOf(one));
    assert.equal(await rowsOf(folder, one), 1);
    assert.equal(await rowsOf(folder, other), undefined);
    assert.deepEqual(discarded, []);
  });

  it('deletes a slab that is corrupt', async () => {
    const folder = await folderOf();
    await folder.write(contentOf(keyOf('A')));
    const [name = ''] = await readdir(path);
    const bytes = await readFile(join(path, name));
    await writeFile(join(path, name), bytes.subarray(0, bytes.length - 3));
    assert.equal(await rowsOf(folder, keyOf('A')), undefined);
    assert.deepEqual(discarded, ['unreadable']);
    assert.equal(folder.has(keyOf('A')), false);
    await eventually(async () => assert.deepEqual(await readdir(path), []));
  });

  it('reads on from a slab that is deleted meanwhile', async () => {
    const folder = await folderOf(oneSlabBytes);
    await folder.write(contentOf(keyOf('A')));
    const slab = await folder.open(keyOf('A'));
    assert.ok(slab !== undefined);
    await folder.write(contentOf(keyOf('B')));
    await eventually(async () => assert.equal((await readdir(path)).length, 1));
    assert.equal((await slab.rows({ startUs: 0, endUs: 10 })).us.length, 1);
    slab.leave();
    assert.equal(slab.enter(), false, 'it is closed after its last reader');
  });

  it('is harmless if another process deletes its slabs', async () => {
    const [one, other] = [await folderOf(), await folderOf()];
    await one.write(contentOf(keyOf('A')));
    await other.write(contentOf(keyOf('A')));
    for (const name of await readdir(path)) await rm(join(path, name));
    assert.equal(await rowsOf(one, keyOf('A')), undefined);
    assert.equal(await rowsOf(other, keyOf('A')), undefined);
    await one.write(contentOf(keyOf('A')));
    assert.equal(await rowsOf(one, keyOf('A')), 1);
  });
});
