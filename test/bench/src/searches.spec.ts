import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchesOf } from './searches.js';

const ids = (of: string): string[] => Array.from({ length: 500 }, (_, n) => `KX${of}${n}-26NOV01${n * 7}`);

describe('the searches of the bench', () => {
  const searches = searchesOf({ markets: ids('M'), events: ids('E'), series: ids('S') }, 500);

  it('are all different, so that none was sent before', () => {
    const seen = new Set(searches.map(({ params }) => new URLSearchParams(params).toString()));
    assert.equal(seen.size, 500);
  });

  it('are of every kind, none of them in the majority', () => {
    const counts = [...Map.groupBy(searches, ({ kind }) => kind).values()].map(({ length }) => length);
    assert.ok(counts.length > 20 && Math.min(...counts) >= 10 && Math.max(...counts) <= 30, counts.join(' '));
  });

  it('have a query or a filter', () => {
    assert.ok(searches.every(({ params }) => params['q'] !== '' || params['category'] !== undefined));
    assert.ok(searches.every(({ params }) => Object.values(params).every((value) => value !== 'undefined')));
  });
});
