import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Market, Schemas, SeriesItem } from '@almanac/client';
import { boundsOf, groupsOf, targetsOf } from './groups.js';

const market = (ticker: string, event_ticker: string | null, title: string | null, close_ts: number): Market =>
  ({ ticker, event_ticker, title, close_ts }) as Market;

describe('the home', () => {
  it('lists markets by event, with the words that their titles share', () => {
    const groups = groupsOf([
      market('A-1', 'A', 'Above 1 on Monday?', 30),
      market('B', null, 'Alone', 20),
      market('A-2', 'A', 'Above 2 on Monday?', 30),
      market('C-1', 'C', 'One', 10),
      market('C-2', 'C', null, 10),
    ]);
    assert.deepEqual(
      groups.map(({ id, title, close_ts, markets }) => [id, title, close_ts, markets.length]),
      [
        ['A', 'Above … on Monday?', 30, 2],
        ['B', 'Alone', 20, 1],
        ['C', 'C', 10, 2],
      ],
    );
  });

  it('asks for markets between now and the closes that its series state', () => {
    const series = [9, 1, 5, 3, 7, 2, 8, null].map((ts) => ({ next_close_ts: ts, last_close_ts: ts }));
    assert.deepEqual(boundsOf(series), { next: 8, last: 2 });
    assert.deepEqual(boundsOf([{ next_close_ts: 4, last_close_ts: null }]), { next: 4, last: undefined });
  });

  it('has a calendar for each category with markets, the largest first, and otherwise for each series', () => {
    const category = (id: string, markets_n: number): Schemas['Category'] =>
      ({ id, label: id, markets_n }) as Schemas['Category'];
    const series = [{ id: 'S', label: 'Series' } as SeriesItem];
    assert.deepEqual(
      targetsOf([category('a', 1), category('b', 0), category('c', 7)], series).map(({ id }) => id),
      ['c', 'a'],
    );
    assert.deepEqual(targetsOf([category('b', 0)], series), [{ kind: 'series', id: 'S', label: 'Series' }]);
  });
});
