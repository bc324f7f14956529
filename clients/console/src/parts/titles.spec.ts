import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differentParts, ownTitles, sharedTitle, shortNames } from './titles.js';

describe('short names of the markets of an event', () => {
  it('are the parts in which their titles differ', () => {
    const titles = ['Will Ann Lee win the race?', 'Will Bob win the race?', 'Will Cy de Wit win the race?'];
    assert.deepEqual(differentParts(titles), ['Ann Lee', 'Bob', 'Cy de Wit']);
    assert.deepEqual(differentParts(['Above 3?', 'Above 3?']), ['3?', '3?']);
    assert.deepEqual(differentParts(['Rain', 'Rain today']), ['Rain', 'Rain today']);
    assert.deepEqual(differentParts(['One alone']), ['One alone']);
    assert.deepEqual(differentParts([]), []);
  });

  it('are strikes where each market has its own', () => {
    const market = (ticker: string, floor_strike: number | null) => ({
      ticker,
      title: `BTC above ${ticker}?`,
      floor_strike,
    });
    assert.deepEqual([...shortNames([market('A', 1_000.5), market('B', 2_000)]).values()], ['1,000.5', '2,000']);
    assert.deepEqual([...shortNames([market('A', 1_000), market('B', null)]).values()], ['A?', 'B?']);
  });

  it('in a table are what each title says that the others do not, and whole where nothing would be left', () => {
    const titlesOf = (...titles: (string | null)[]): string[] => [
      ...ownTitles(titles.map((title, at) => ({ ticker: `T${at}`, title }))).values(),
    ];
    assert.deepEqual(titlesOf('Rain at 5 today', 'Rain at 7 today'), ['5', '7']);
    assert.deepEqual(titlesOf('Will it?', 'Will it?'), ['it', 'it']);
    assert.deepEqual(titlesOf('A rise of ↑', 'A rise of ↓'), ['A rise of ↑', 'A rise of ↓']);
    assert.deepEqual(titlesOf(null, 'Rain'), ['T0', 'Rain']);
    assert.deepEqual(titlesOf('One alone'), ['One alone']);
  });

  it('have in common the words with which all begin or end', () => {
    assert.equal(
      sharedTitle(['Bitcoin above 100,000 on May 14?', 'Bitcoin above 90,000 on May 14?']),
      'Bitcoin above … on May 14?',
    );
    assert.equal(sharedTitle(['Rain at 5?', 'Rain at 7?']), 'Rain at …');
    assert.equal(sharedTitle(['Same', 'Same']), 'Same');
    assert.equal(sharedTitle(['One thing', 'Another matter']), undefined);
    assert.equal(sharedTitle([]), undefined);
  });
});
