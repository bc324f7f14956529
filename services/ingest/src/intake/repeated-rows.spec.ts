import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { batchBuilder, batchedMarket } from './observation-batch.js';
import { repeatedRows } from './repeated-rows.js';
import { withFolder } from '../import/testing/with-folder.js';

interface Row {
  readonly market: number;
  readonly us: number;
  readonly bid: number;
}

/** Counts with everything in memory. */
const reference = (rows: readonly Row[]) => {
  const last = new Map<string, number>();
  const counts = { stored: 0, equal: 0, different: 0 };
  for (const { market, us, bid } of rows) {
    const before = last.get(`${market} ${us}`);
    if (before === undefined) counts.stored += 1;
    else if (before === bid) counts.equal += 1;
    else counts.different += 1;
    last.set(`${market} ${us}`, bid);
  }
  return counts;
};

const countedIn = (folder: string, rows: readonly Row[], limits?: Parameters<typeof repeatedRows>[1]) => {
  const repeated = repeatedRows(folder, limits);
  const builder = batchBuilder();
  const markets = Array.from({ length: 40 }, (_, index) => batchedMarket(`KXA-26MAR-${index}`, 'KXA'));
  const send = (): void => {
    const batch = builder.take();
    if (batch) repeated.add(batch);
  };
  try {
    for (const [at, { market, us, bid }] of rows.entries()) {
      const batched = markets[market];
      assert.ok(batched);
      const row = { us: 1_771_993_365_000_000 + us, bid: `0.${bid}`, ask: null, coinPrice: null };
      if (builder.add(batched, { ...row, venueUs: null, seq: null }) || at % 1_000 === 999) send();
    }
    send();
    return repeated.take();
  } finally {
    repeated.close();
  }
};

const rowCount = 4_000;

test('rows in any order are counted as a reference with everything in memory counts them', () =>
  withFolder(async (folder) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const random = seededRandom(seed);
      const below = (n: number): number => Math.floor(random() * n);
      const span = seed % 2 === 0 ? 80 : 200_000;
      // From in order to fully mixed.
      const jitter = [0, 1, 10, span][seed % 4] ?? 0;
      const rows = Array.from({ length: rowCount }, (_, at) => ({
        market: below(40),
        us: Math.max(0, Math.floor((at * span) / rowCount) - below(jitter + 1)),
        bid: 1 + below(2),
      }));
      const expected = reference(rows);
      assert.deepEqual(countedIn(folder, rows), expected, `seed ${seed}`);
      const limits = { markets: 7, lookups: 400 };
      assert.deepEqual(countedIn(folder, rows, limits), expected, `seed ${seed}, forgetting markets`);
      const digests = { key: 'digest', lookups: 400 } as const;
      assert.deepEqual(countedIn(folder, rows, digests), expected, `seed ${seed}, as digests`);
    }
    assert.deepEqual(await readdir(folder), []);
  }));

test('repetitions of rows that are on disk by then are found, and no file stays', () =>
  withFolder(async (folder) => {
    const rows = Array.from({ length: 160_000 }, (_, at) => ({ market: at % 40, us: at, bid: 1 }));
    const again = rows.filter(({ us }) => us % 20 === 0);
    const later = again.map((row) => (row.us % 1_000 === 0 ? { ...row, bid: 2 } : row));
    for (const key of ['time', 'digest'] as const) {
      const counted = countedIn(folder, [...rows, ...later], { key });
      assert.deepEqual(counted, { stored: 160_000, equal: 7_840, different: 160 }, key);
    }
    assert.deepEqual(await readdir(folder), []);
  }));
