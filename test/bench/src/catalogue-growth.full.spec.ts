// In the full run: it fills two catalogues, of 800,000 and 4,000,000 markets, which takes minutes.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { figuresAt } from './catalogue-tables.rows.js';
import { temporaryHome } from './home.js';
import { quantile } from './pairs.js';
import { full } from './size.js';

/** Multiples of two million markets. */
const [smaller, larger] = [0.4, 2];
/** Rare words that markets have with thousands of events still read more. A row costs less than the rest of a search. */
const growthMax = 2.5;
/** No search reads more, whatever it asks. */
const rowsMax = 500_000;

/** Rows that the engine reads for each search. They do not depend on the speed of the machine. */
const rowsAt = async (ofEvents: number): Promise<{ kind: string; rows: number }[]> => {
  const home = await temporaryHome();
  try {
    const figures = await figuresAt({ home, size: full }, ofEvents);
    return [...figures].flatMap(([kind, { rows }]) =>
      kind.startsWith('search') ? rows.map((read) => ({ kind, rows: read })) : [],
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

test('searches of a catalogue that is five times as large read few more rows', async (here) => {
  const [before, after] = [await rowsAt(smaller), await rowsAt(larger)];
  const p95 = (some: typeof before): number =>
    quantile(
      some.map(({ rows }) => rows),
      0.95,
    );
  here.diagnostic(`p95: ${p95(before)} and ${p95(after)} rows`);
  assert.deepEqual(
    after.filter(({ rows }) => rows > rowsMax),
    [],
  );
  assert.ok(p95(after) <= growthMax * p95(before), `${p95(after)} rows, and ${p95(before)} before`);
});
