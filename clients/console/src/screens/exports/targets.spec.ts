import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchHit } from '@almanac/client';
import { targetsOf } from './targets.js';

const hit = (kind: SearchHit['kind'], id: string, event_ticker: string | null): SearchHit => ({
  kind,
  id,
  event_ticker,
  title: `title of ${id}`,
  category: null,
  series: 'S',
  status: 'live',
  close_ts: 5,
  score: 1,
});
const hits = [
  hit('market', 'E1-A', 'E1'),
  hit('market', 'E1-B', 'E1'),
  hit('event', 'E2', 'E2'),
  hit('series', 'S', null),
];
const shown = (found: readonly SearchHit[]) => found.map(({ kind, id, title }) => [kind, id, title]);

describe('what the wizard offers to export', () => {
  it('is the markets that were found', () => {
    assert.deepEqual(shown(targetsOf(hits, 'market')), [
      ['market', 'E1-A', 'title of E1-A'],
      ['market', 'E1-B', 'title of E1-B'],
    ]);
  });

  it('is each event once, also if only its markets were found', () => {
    assert.deepEqual(shown(targetsOf(hits, 'event')), [
      ['event', 'E1', null],
      ['event', 'E2', 'title of E2'],
    ]);
  });

  it('has the title of an event that comes after its markets', () => {
    assert.deepEqual(shown(targetsOf([...hits, hit('event', 'E1', 'E1')], 'event'))[0], ['event', 'E1', 'title of E1']);
  });

  it('is the series of everything that was found', () => {
    assert.deepEqual(shown(targetsOf(hits, 'series')), [['series', 'S', 'title of S']]);
  });
});
