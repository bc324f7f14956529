import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recording } from '@almanac/testing';
import { importSummary } from './report/summary.js';
import { importPaths } from './testing/import-files.js';

const quotes = recording('data/kalshi-15m');
const books = recording('data/kalshi-l2');
const ticks = recording('data/polymarket');

describe('the sums of real recordings', () => {
  it('are those of the rows that can be read, also when a file comes twice', { skip: quotes.skip }, async () => {
    const { reports, rows } = await importPaths([quotes.path, books.path, ticks.path]);
    const { total, files } = importSummary({ reports, aborted: null }, false);
    const { read, ...parts } = total.observations;
    assert.equal(
      read,
      Object.values(parts).reduce((sum, one) => sum + one, 0),
    );
    assert.equal(total.observations.stored, rows.size);
    const messages = files.flatMap((file) => file.messages ?? []);
    assert.deepEqual(messages, [
      { read: 75_942, applied: 67_730, other: 8_212, refused: 0, not_applied: 0 },
      { read: 74, applied: 69, other: 2, refused: 3, not_applied: 0 },
      { read: 13, applied: 0, other: 0, refused: 13, not_applied: 0 },
    ]);
  });

  it('count strikes of 18 decimals with an example, and --exact would refuse them', { skip: ticks.skip }, async () => {
    const { reports } = await importPaths([ticks.path]);
    const catalogue = reports.find(({ mapping }) => mapping === 'polymarket-markets');
    assert.equal(catalogue?.altered.get('floor_strike: rounded to 8 decimals'), 251);
    const example = catalogue.alteredExamples.get('floor_strike: rounded to 8 decimals');
    assert.ok(example && example.from.length > example.to.length, JSON.stringify(example));
  });

  it('prices at the open are from before it, of the market before', { skip: quotes.skip }, async () => {
    const { things } = await importPaths([quotes.path]);
    const opened = Array.from(things.values()).filter((thing) => thing['open_price'] !== undefined);
    assert.ok(opened.length >= 20, `${opened.length} markets`);
    for (const { open_price: price, open_us: openUs } of opened) {
      assert.ok(price instanceof Object && 'us' in price && typeof price.us === 'number' && typeof openUs === 'number');
      assert.ok(price.us <= openUs && openUs - price.us < 60_000_000);
    }
  });
});
