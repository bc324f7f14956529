import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openUs } from '../testing/random-market.js';
import type { SlabMarket } from './make-slabs.js';
import { type ComparedReads, startComparedReads } from './testing/compared-reads.js';
import { checkSame, makeSlab, newMarket, rowsN, second, windowOf } from './testing/one-slab.js';

describe('slabs', () => {
  let tested: ComparedReads;
  let isBusy = false;
  before(async () => {
    tested = await startComparedReads({ pauseMs: 0, isBusy: () => isBusy });
  });
  after(() => tested.stop());
  const window = { startUs: openUs, endUs: openUs + rowsN * second };
  const settledMarket = async (ticker: string): Promise<SlabMarket> => {
    const flags = { isQuiet: true, isOver: true, isRecent: false };
    const version = await tested.version(ticker);
    return { ticker, version, recordedUs: rowsN * second, ...flags, eventTicker: null, series: null };
  };

  it('are made after the second read of a market, once for all readers', async () => {
    const ticker = await newMarket(tested);
    const madeBefore = await tested.metric('almanac_slabs_made_total');
    await tested.read(windowOf(ticker));
    await tested.slabs.idle();
    assert.equal(await tested.metric('almanac_slabs_made_total'), madeBefore);
    await Promise.all(Array.from({ length: 20 }, () => tested.read(windowOf(ticker))));
    await tested.slabs.idle();
    assert.equal(await tested.metric('almanac_slabs_made_total'), madeBefore + 1);
    const { miss } = await tested.counts();
    await checkSame(tested, ticker);
    assert.equal((await tested.counts()).miss, miss);
  });

  it('of a market that is over are made before its first read', async () => {
    const ticker = await newMarket(tested);
    const market = await settledMarket(ticker);
    assert.equal(await tested.slabs.prepare(market, window), true);
    const { hit } = await tested.counts();
    await checkSame(tested, ticker);
    assert.equal((await tested.counts()).hit, hit + 1);
    const made = await tested.metric('almanac_slabs_made_total');
    assert.deepEqual(await Promise.all([tested.slabs.prepare(market, window), tested.slabs.prepare(market, window)]), [
      true,
      true,
    ]);
    assert.equal(await tested.metric('almanac_slabs_made_total'), made, 'a second time changes nothing');
  });

  it('are not made ahead while readers wait for ClickHouse', async () => {
    const ticker = await newMarket(tested);
    const market = await settledMarket(ticker);
    const made = await tested.metric('almanac_slabs_made_total');
    isBusy = true;
    assert.equal(await tested.slabs.prepare(market, window), false);
    assert.equal(await tested.metric('almanac_slabs_made_total'), made);
    isBusy = false;
    assert.equal(await tested.slabs.prepare(market, window), true);
    assert.equal(await tested.metric('almanac_slabs_made_total'), made + 1);
  });

  it('of the last hours of a long market are made ahead', async () => {
    const ticker = await newMarket(tested);
    const lastUs = openUs + 10 * 86_400 * second;
    await tested.callers.store(ticker, [{ us: lastUs, seq: 1, bid: '0.5' }]);
    const market = { ...(await settledMarket(ticker)), recordedUs: lastUs - openUs };
    const made = await tested.metric('almanac_slabs_made_total');
    const lastHours = { startUs: lastUs - 6 * 3_600 * second, endUs: lastUs + 1 };
    assert.equal(await tested.slabs.prepare(market, lastHours), true);
    const days = new Set([lastHours.startUs, lastUs].map((us) => Math.floor(us / (86_400 * second))));
    assert.equal(await tested.metric('almanac_slabs_made_total'), made + days.size);
  });

  it('that are corrupt are made again', async () => {
    const ticker = await newMarket(tested);
    await makeSlab(tested, ticker);
    for (const name of await readdir(tested.folder)) {
      const path = join(tested.folder, name);
      const bytes = await readFile(path);
      bytes[40] = (bytes[40] ?? 0) ^ 0xff;
      await writeFile(path, bytes);
    }
    await checkSame(tested, ticker);
    await tested.slabs.idle();
    assert.equal(await tested.metric('almanac_slabs_discarded_total', { reason: 'unreadable' }), 1);
    const { hit } = await tested.counts();
    await checkSame(tested, ticker);
    assert.equal((await tested.counts()).hit, hit + 1);
  });

  it('are not made of a live market that was just observed', async () => {
    const ticker = await newMarket(tested, (Date.now() + 3_600_000) * 1_000);
    await tested.callers.store(ticker, [{ us: Date.now() * 1_000, seq: 1, bid: '0.5' }]);
    const made = await tested.metric('almanac_slabs_made_total');
    await makeSlab(tested, ticker);
    await checkSame(tested, ticker);
    await tested.slabs.idle();
    assert.equal(await tested.metric('almanac_slabs_made_total'), made);
  });
});

describe('slabs that would be too large', () => {
  let tested: ComparedReads;
  before(async () => {
    // Less than the day has, more than the hour has.
    tested = await startComparedReads({ slabBytesMax: 150_000 });
  });
  after(() => tested.stop());

  it('are made of shorter times', async () => {
    const ticker = await newMarket(tested);
    const later = { us: openUs + 7_200 * second, bid: '0.5' };
    const more = Array.from({ length: rowsN }, (_, at) => ({ ...later, us: later.us + at * second, seq: at }));
    await tested.callers.store(ticker, more);
    // Two for each length: all times, a day and an hour.
    for (let read = 0; read < 6; read += 1) {
      await tested.read(windowOf(ticker));
      await tested.slabs.idle();
    }
    const { hit } = await tested.counts();
    await checkSame(tested, ticker);
    assert.equal((await tested.counts()).hit, hit + 1);
    assert.equal(await tested.metric('almanac_slabs'), 1);
  });
});

const isRoot = process.getuid?.() === 0;

describe('slabs on a full disk', { skip: isRoot ? false : 'only root can mount a small file system' }, () => {
  let folder: string;
  let tested: ComparedReads;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slabs-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    tested = await startComparedReads({ folder, pauseMs: 600_000 });
  });
  after(async () => {
    await tested.stop();
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  it('are left out: reads come from ClickHouse, and nobody tries again for a while', async () => {
    const ticker = await newMarket(tested);
    await makeSlab(tested, ticker);
    await checkSame(tested, ticker);
    await makeSlab(tested, ticker);
    assert.equal(await tested.metric('almanac_slabs_failed_total'), 1);
    assert.deepEqual(await readdir(folder), []);
    assert.equal((await tested.counts()).hit, 0);
  });
});
