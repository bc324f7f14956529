import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
});
after(() => catalog.stop());

test('a market gets what it lacks from its event, then from its series', async () => {
  await catalog.recorded(
    { kind: 'series', id: 'S', category: 'crypto', category_label: 'Crypto' },
    { kind: 'series', id: 'BARE' },
    { kind: 'event', event_ticker: 'S-1', series: 'S' },
    { kind: 'event', event_ticker: 'S-2', series: 'S', category: 'politics', category_label: 'Politics' },
    { kind: 'event', event_ticker: 'BARE-1', series: 'BARE' },
    { kind: 'market', ticker: 'of-series', series: 'S' },
    { kind: 'market', ticker: 'of-event-1', event_ticker: 'S-1' },
    { kind: 'market', ticker: 'of-event-2', event_ticker: 'S-2', series: 'S' },
    { kind: 'market', ticker: 'own', event_ticker: 'S-2', series: 'S', category: 'sports' },
    { kind: 'market', ticker: 'bare', event_ticker: 'BARE-1', series: 'BARE' },
    { kind: 'market', ticker: 'other', event_ticker: 'X-1' },
  );
  const find = (series: string[], events: string[], last = '') =>
    catalog.call('ingest', catalogRpc.valuesOfParents, { series, events, after: last });
  const crypto = { series: 'S', category: 'crypto', category_label: 'Crypto' };
  const all = [
    { ticker: 'of-event-1', ...crypto },
    { ticker: 'of-event-2', series: 'S', category: 'politics', category_label: 'Politics' },
    { ticker: 'of-series', ...crypto },
  ];
  assert.deepEqual(await find(['S', 'BARE'], []), { markets: all, next: null });
  assert.deepEqual((await find([], ['S-1'])).markets, all.slice(0, 1));
  assert.deepEqual((await find(['S'], [], 'of-event-1')).markets, all.slice(1));
  assert.deepEqual((await find(['X'], ['X-1'])).markets, []);
  await catalog.recorded(...all.map((market) => ({ kind: 'market' as const, ...market })));
  assert.deepEqual((await find(['S'], ['S-1'])).markets, []);
});
