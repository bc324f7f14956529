import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayOf, eventOf } from './data.js';
import { resultOf } from './results.js';
import { isRow } from './row.js';
import { entriesOf } from './rows.js';
import { full, inWords, smoke } from './size.js';

describe('the sizes of the bench', () => {
  const [fullRows, smokeRows] = [entriesOf(full), entriesOf(smoke)];

  it('have the same rows and profiles: a smoke run omits none, and names each by its own numbers', () => {
    const terms = (rows: typeof fullRows) => rows.map(({ threshold, unit, strict }) => ({ threshold, unit, strict }));
    assert.deepEqual(terms(smokeRows), terms(fullRows));
    const withoutNumbers = (rows: typeof fullRows) =>
      rows.map(({ name }) => name.replaceAll(/\b(a million|[\d,.]+( million| M)?)\b/g, 'N'));
    assert.deepEqual(withoutNumbers(smokeRows), withoutNumbers(fullRows));
    for (const rows of [fullRows, smokeRows]) assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
    const names = fullRows.map(({ name }) => name);
    assert.ok(
      names.includes('market detail, random of 2 M tickers') && names.includes('export of a million rows, csv'),
    );
    assert.ok(smokeRows.some(({ name }) => name === 'export of 10,000 rows, peak memory at most'));
  });

  it('have rows that say in one sentence what a user or an operator gains', () => {
    const gains = fullRows.flatMap((row) => (isRow(row) ? [row.gain] : []));
    assert.ok(gains.length <= 30 && new Set(gains).size === gains.length);
    for (const gain of gains) assert.match(gain, /^[A-Z][^.]{20,}\.$/);
  });

  it('judge ratios in a measurement only', () => {
    const strict = fullRows.find((row) => row.strict === true);
    assert.ok(strict !== undefined);
    const measured = { ours: 900, reference: 300, ratio: 3, notes: [] };
    assert.equal(resultOf(strict, measured, full).short, true);
    assert.equal(resultOf(strict, measured, smoke).short, false);
  });

  for (const [name, { exports, archive, details, catalogue }] of Object.entries({ full, smoke })) {
    it(`${name}: each large export is of another event, and the last event is left for the rows about memory`, () => {
      const { large, warmPairs, pairs } = exports;
      const rounds = Array.from({ length: warmPairs + pairs }, (_, round) =>
        eventOf(round * large.marketsAnEvent, large),
      );
      const events = new Set([...rounds, eventOf(large.marketsN - 1, large)]);
      assert.equal(events.size, rounds.length + 1);
    });

    it(`${name}: a day of the large series is ten times an event, and within one day`, () => {
      const { large } = exports;
      assert.equal(large.marketsN, 10 * large.marketsAnEvent);
      assert.equal(dayOf(large), dayOf({ ...large, openS: large.openS + large.secondsN }));
    });

    it(`${name}: the archive has more than the 900 rows of a snapshots query, and few enough details to repeat each`, () => {
      assert.ok(archive.secondsN > 900);
      assert.ok(details.knownN <= Math.floor(catalogue.marketsN / details.every));
    });
  }

  it('write numbers as in the names of rows', () => {
    const said = [inWords(20), inWords(5_975), inWords(1e6), inWords(1e7), inWords(2e6, 'M')];
    assert.deepEqual(said, ['20', '5,975', 'a million', '10 million', '2 M']);
  });
});
