import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nearestPath } from './nearest-path.js';

const near = nearestPath(
  ['/api/v1/series', '/api/v1/series/:series_id', '/api/v1/markets/:ticker/snapshots', '/docs', '/openapi.json'],
  '/api/v1',
);

it('finds the nearest path, with the segments of the request in the place of parameters', () => {
  for (const [path, found] of [
    ['/api/v1/serie', '/api/v1/series'],
    ['/api/v1/Series', '/api/v1/series'],
    ['/api/v2/series/KXBTC', '/api/v1/series/KXBTC'],
    ['/series', '/api/v1/series'],
    ['/v1/series/KXBTC', '/api/v1/series/KXBTC'],
    ['/api/v1/market/A%2FB/snapshot', '/api/v1/markets/A%2FB/snapshots'],
    ['/doc', '/docs'],
    ['/openapi.jsn', '/openapi.json'],
  ] as const) {
    assert.equal(near(path), found, path);
  }
});

it('finds nothing when no path is similar', () => {
  for (const path of [
    '/',
    '',
    '/api',
    '/nothing',
    '/api/v1/nothing',
    '/api/v1/carts/x/y/z',
    `/${'x'.repeat(10_000)}`,
  ]) {
    assert.equal(near(path), undefined, path);
  }
});
