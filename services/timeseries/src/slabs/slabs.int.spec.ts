import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { unixMicros } from '@almanac/runtime';
import { openUs } from '../testing/random-market.js';
import type { SlabMarket } from './make-slabs.js';
import { type ComparedReads, type SlabProcess, startComparedReads } from './testing/compared-reads.js';
import { checkSame, makeSlab, newMarket, rowsN, second, windowOf } from './testing/one-slab.js';
import { describeSlabs } from './testing/slabs-suite.js';

let tested: ComparedReads;
before(async () => {
  tested = await startComparedReads();
});
after(() => tested.stop());

describeSlabs(() => tested, { seed: 20_261_123, markets: 2, reads: 40 });

describe('slabs', () => {
  let isBusy = false;
  let process_: SlabProcess;
  before(async () => {
    process_ = await tested.newProcess({ pauseMs: 0, isBusy: () => isBusy });
  });
  const window = { startUs: openUs, endUs: openUs + rowsN * second };
  const settledMarket = async (ticker: string): Promise<SlabMarket> => {
    const flags = { isQuiet: true, isOver: true, isRecent: false };
    const version = await tested.version(ticker);
    return { ticker, version, recordedUs: rowsN * second, ...flags, eventTicker: null, series: null };
  };

  it('are made after the second read of a market, once for all readers', async () => {
    const ticker = await newMarket(tested);
    const madeBefore = await process_.metric('almanac_slabs_made_total');
    await process_.read(windowOf(ticker));
    await process_.slabs.idle();
    assert.equal(await process_.metric('almanac_slabs_made_total'), madeBefore);
    await Promise.all(Array.from({ length: 20 }, () => process_.read(windowOf(ticker))));
    await process_.slabs.idle();
    assert.equal(await process_.metric('almanac_slabs_made_total'), madeBefore + 1);
    const { miss } = await process_.counts();
    await checkSame(process_, ticker);
    assert.equal((await process_.counts()).miss, miss);
  });

  it('of a market that is over are made before its first read', async () => {
    const ticker = await newMarket(tested);
    const market = await settledMarket(ticker);
    assert.equal(await process_.slabs.prepare(market, window), 'ready');
    const { hit } = await process_.counts();
    await checkSame(process_, ticker);
    assert.equal((await process_.counts()).hit, hit + 1);
    const made = await process_.metric('almanac_slabs_made_total');
    assert.deepEqual(
      await Promise.all([process_.slabs.prepare(market, window), process_.slabs.prepare(market, window)]),
      ['ready', 'ready'],
    );
    assert.equal(await process_.metric('almanac_slabs_made_total'), made, 'a second time changes nothing');
  });

  it('are not made ahead while readers wait for ClickHouse', async () => {
    const ticker = await newMarket(tested);
    const market = await settledMarket(ticker);
    const made = await process_.metric('almanac_slabs_made_total');
    isBusy = true;
    assert.equal(await process_.slabs.prepare(market, window), 'busy');
    assert.equal(await process_.metric('almanac_slabs_made_total'), made);
    isBusy = false;
    assert.equal(await process_.slabs.prepare(market, window), 'ready');
    assert.equal(await process_.metric('almanac_slabs_made_total'), made + 1);
  });

  it('of the last hours of a long market are made ahead', async () => {
    const ticker = await newMarket(tested);
    const lastUs = openUs + 10 * 86_400 * second;
    await tested.callers.store(ticker, [{ us: lastUs, seq: 1, bid: '0.5' }]);
    const market = { ...(await settledMarket(ticker)), recordedUs: lastUs - openUs };
    const made = await process_.metric('almanac_slabs_made_total');
    const lastHours = { startUs: lastUs - 6 * 3_600 * second, endUs: lastUs + 1 };
    assert.equal(await process_.slabs.prepare(market, lastHours), 'ready');
    const days = new Set([lastHours.startUs, lastUs].map((us) => Math.floor(us / (86_400 * second))));
    assert.equal(await process_.metric('almanac_slabs_made_total'), made + days.size);
  });

  it('of imported markets never take the room of others', async () => {
    const small = await tested.newProcess({ bytesMax: 400_000, pauseMs: 0 });
    const outcomes: string[] = [];
    while (outcomes.length < 20 && outcomes.at(-1) !== 'full') {
      const market = await settledMarket(await newMarket(tested));
      outcomes.push(await small.slabs.prepare(market, window, { mayDiscard: false }));
    }
    assert.deepEqual([outcomes[0], outcomes.at(-1)], ['ready', 'full']);
    assert.equal(await small.metric('almanac_slabs_discarded_total'), 0);
    assert.equal(await small.slabs.prepare(await settledMarket(await newMarket(tested)), window), 'ready');
  });

  it('that are corrupt are made again', async () => {
    const ticker = await newMarket(tested);
    await makeSlab(process_, ticker);
    for (const name of await readdir(process_.folder)) {
      const path = join(process_.folder, name);
      const bytes = await readFile(path);
      bytes[40] = (bytes[40] ?? 0) ^ 0xff;
      await writeFile(path, bytes);
    }
    await checkSame(process_, ticker);
    await process_.slabs.idle();
    assert.equal(await process_.metric('almanac_slabs_discarded_total', { reason: 'unreadable' }), 1);
    const { hit } = await process_.counts();
    await checkSame(process_, ticker);
    assert.equal((await process_.counts()).hit, hit + 1);
  });

  it('are not made of a live market that was just observed', async () => {
    const ticker = await newMarket(tested, (Date.now() + 3_600_000) * 1_000);
    await tested.callers.store(ticker, [{ us: unixMicros(), seq: 1, bid: '0.5' }]);
    const made = await process_.metric('almanac_slabs_made_total');
    await makeSlab(process_, ticker);
    await checkSame(process_, ticker);
    await process_.slabs.idle();
    assert.equal(await process_.metric('almanac_slabs_made_total'), made);
  });
});

describe('slabs that would be too large', () => {
  it('are made of shorter times', async () => {
    // Less than the day has, more than the hour has.
    const process_ = await tested.newProcess({ slabBytesMax: 150_000 });
    const ticker = await newMarket(tested);
    const later = { us: openUs + 7_200 * second, bid: '0.5' };
    const more = Array.from({ length: rowsN }, (_, at) => ({ ...later, us: later.us + at * second, seq: at }));
    await tested.callers.store(ticker, more);
    // Two for each length: all times, a day and an hour.
    for (let read = 0; read < 6; read += 1) {
      await process_.read(windowOf(ticker));
      await process_.slabs.idle();
    }
    const { hit } = await process_.counts();
    await checkSame(process_, ticker);
    assert.equal((await process_.counts()).hit, hit + 1);
    assert.equal(await process_.metric('almanac_slabs'), 1);
  });
});
