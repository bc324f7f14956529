import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rpcClient, type RpcClient } from '@almanac/bus';
import { catalogRpc, type Contract } from '@almanac/contracts';
import type { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive } from '../testing/archive.js';

describe('an id that does not exist', () => {
  let catalog: CatalogHarness;
  let rpc: RpcClient;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
    rpc = rpcClient(await catalog.connect('gateway'));
  });
  after(() => catalog.stop());

  const nearest = async (kind: 'series' | 'event' | 'market', id: string) =>
    (await catalog.call('gateway', catalogRpc.nearestId, { kind, id })).nearest;
  const noticesOf = async <In extends z.ZodType>(to: Contract<In>, input: z.input<In>) => {
    const { meta } = await rpc.forward(to, { input, context: { requestId: 'r' } });
    return (meta.notices ?? []).map(({ code, loc, nearest: near }) => [code, loc?.join('.'), near]);
  };

  it('has a nearest one: in another case, or misspelt', async () => {
    assert.equal(await nearest('series', 'btc'), 'BTC');
    assert.equal(await nearest('series', 'HIHG'), 'HIGH');
    assert.equal(await nearest('event', 'btc-03'), 'BTC-03');
    assert.equal(await nearest('market', 'high-1-t9'), 'HIGH-1-T9');
    assert.equal(await nearest('market', ' LOOSE '), 'LOOSE');
    assert.equal(await nearest('market', 'HIGH-1-T10000'), 'HIGH-1-T100000');
    assert.equal(await nearest('market', 'high-1-t95999'), 'HIGH-1-T95999.99');
  });

  it('has none when nothing is similar, whatever the text', async () => {
    for (const id of ['', ' ', '*', 'a.>', 'x'.repeat(5_000), 'NOTHING-AT-ALL', '\ud800', 'a\0b']) {
      for (const kind of ['series', 'event', 'market'] as const) assert.equal(await nearest(kind, id), null, id);
    }
  });

  it('is named by an empty list that was filtered by it, from the cache too', async () => {
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await noticesOf(catalogRpc.listMarkets, { series: 'btc' }), [
        ['unknown_value', 'query.series', 'BTC'],
      ]);
    }
    assert.deepEqual(await noticesOf(catalogRpc.listMarkets, { event: 'btc-03', category: 'Crypto' }), [
      ['unknown_value', 'query.event', 'BTC-03'],
      ['unknown_value', 'query.category', 'crypto'],
    ]);
    const weather = [['unknown_value', 'query.category', 'weather']];
    assert.deepEqual(await noticesOf(catalogRpc.search, { category: 'wether' }), weather);
    assert.deepEqual(await noticesOf(catalogRpc.listSeries, { category: 'wether' }), weather);
  });

  it('is not named when the filters exist and match nothing', async () => {
    for (const input of [
      { series: 'BTC', q: 'nothing like this' },
      { series: 'BTC', event: 'HIGH-1' },
      { series: '' },
    ]) {
      assert.deepEqual(await noticesOf(catalogRpc.listMarkets, { ...input, status: 'live', category: 'crypto' }), []);
    }
  });
});
