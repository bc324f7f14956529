import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalogRpc, type CatalogueFact } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive, hourUs, oldDay } from '../testing/archive.js';

describe('catalogue answers', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
  });
  after(() => catalog.stop());

  const market = (ticker: string, more: object): CatalogueFact => ({ kind: 'market', ticker, ...more });
  const listed = (series: string) => catalog.call('gateway', catalogRpc.listMarkets, { series });
  const series = async (id: string) =>
    (await catalog.call('gateway', catalogRpc.seriesDetail, { series_id: id, limit: 1 })).series;

  it('are the same from the cache, except for their source', async () => {
    const pendingAnswers = [
      () => listed('BTC'),
      () => catalog.call('gateway', catalogRpc.seriesDetail, { series_id: 'HIGH' }),
      () => catalog.call('gateway', catalogRpc.eventDetail, { event_id: 'HIGH-1' }),
    ];
    for (const query of pendingAnswers) {
      const { source, ...first } = await query();
      assert.equal(source, 'archive');
      // On a busy machine more than a second may pass, and the answer is computed again.
      await eventually(async () => {
        const fromCache = await query();
        assert.deepEqual(fromCache, { ...first, source: 'cache' });
      });
    }
    const { saved_ts, source } = await catalog.call('gateway', catalogRpc.categories, {});
    assert.ok(source === 'cache' && saved_ts !== null && saved_ts * 1e6 > oldDay);
  });

  it('show recorded facts at once, in every query', async () => {
    for (let n = 0; n < 3; n += 1) {
      assert.equal((await listed('FRESH')).count, n);
      await catalog.recorded(
        market(`FRESH-${n}`, { series: 'FRESH', category: 'fresh', event_ticker: `FRESH-E${n}`, close_us: oldDay + n }),
      );
      assert.equal((await listed('FRESH')).count, n + 1);
      assert.equal((await series('FRESH')).markets_n, n + 1);
      assert.equal((await series('FRESH')).events_n, n + 1);
      const { categories } = await catalog.call('gateway', catalogRpc.categories, {});
      assert.equal(categories.find(({ id }) => id === 'fresh')?.markets_n, n + 1);
      assert.equal((await catalog.call('gateway', catalogRpc.search, { q: 'fresh' })).count, 2 * (n + 1) + 1);
    }
  });

  it('show facts soon even when no caller waited for them', async () => {
    const later = market('LATER-1', { series: 'LATER', close_us: oldDay });
    await catalog.call('ingest', catalogRpc.record, { facts: [later] });
    await eventually(async () => {
      assert.equal((await listed('LATER')).count, 1);
      assert.equal((await series('LATER')).markets_n, 1);
    });
  });

  it('show a market as closed at its close, though nothing is recorded', async () => {
    const close_us = (Date.now() + 3_000) * 1_000;
    await catalog.recorded(market('SOON-1', { series: 'SOON', close_us }));
    assert.equal((await series('SOON')).status, 'live');
    await eventually(async () => {
      const found = await series('SOON');
      assert.deepEqual([found.status, found.live_n, found.closed_n, found.next_close_ts], ['closed', 0, 1, null]);
      assert.equal((await listed('SOON')).markets[0]?.status, 'closed');
    });
  });

  it('count a market that moved to another series once', async () => {
    await catalog.recorded(market('MOVED-1', { series: 'FROM', close_us: oldDay }));
    assert.equal((await series('FROM')).markets_n, 1);
    await catalog.recorded(market('MOVED-1', { series: 'TO' }));
    assert.equal((await series('TO')).markets_n, 1);
    await eventually(async () => {
      await catalog.recorded(market('MOVED-2', { series: 'TO', close_us: Date.now() }));
      assert.equal((await series('FROM')).markets_n, 0);
    });
  });

  it('are the same after a restart of the process', async () => {
    const known = await catalog.call('gateway', catalogRpc.listSeries, {});
    await catalog.restart();
    assert.deepEqual((await catalog.call('gateway', catalogRpc.listSeries, {})).series, known.series);
    assert.equal((await series('BTC')).last_close_ts, (oldDay + 50 * hourUs) / 1e6);
  });
});
