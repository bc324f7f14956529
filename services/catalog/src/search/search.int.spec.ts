import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rpcClient, type RpcClient } from '@almanac/bus';
import { catalogRpc, type Contract, DomainError } from '@almanac/contracts';
import type { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive, dayUs, hourUs, nowUs, oldDay } from '../testing/archive.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
  await catalog.recorded(...archive);
});
after(() => catalog.stop());

describe('a search', () => {
  const searchAs = {
    markets: (input: z.input<typeof catalogRpc.listMarkets.input>) =>
      catalog.call('gateway', catalogRpc.listMarkets, input),
    series: (input: z.input<typeof catalogRpc.listSeries.input>) =>
      catalog.call('gateway', catalogRpc.listSeries, input),
    seriesDetail: (input: z.input<typeof catalogRpc.seriesDetail.input>) =>
      catalog.call('gateway', catalogRpc.seriesDetail, input),
    event: (input: z.input<typeof catalogRpc.eventDetail.input>) =>
      catalog.call('gateway', catalogRpc.eventDetail, input),
    search: (input: z.input<typeof catalogRpc.search.input>) => catalog.call('gateway', catalogRpc.search, input),
    target: (input: z.input<typeof catalogRpc.exportTarget.input>) =>
      catalog.call('export', catalogRpc.exportTarget, input),
  };
  const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;

  it('finds an exact id first, then id prefixes, then words in any order and case', async () => {
    const { hits } = await searchAs.search({ q: 'high-1' });
    assert.deepEqual(
      hits.map(({ kind, id, score }) => [kind, id, score]),
      [
        ['event', 'HIGH-1', 1],
        ['market', 'HIGH-1-OTHER', 0.75],
        ['market', 'HIGH-1-T100000', 0.75],
        ['market', 'HIGH-1-T9', 0.75],
        ['market', 'HIGH-1-T95999.99', 0.75],
      ],
    );
    const words = await searchAs.search({ q: ' OSLO temp ' });
    assert.deepEqual(words.hits.slice(0, 1), [
      {
        kind: 'event',
        id: 'HIGH-1',
        title: 'Highest temperature in Oslo',
        category: 'weather',
        series: 'HIGH',
        event_ticker: 'HIGH-1',
        status: 'live',
        close_ts: (nowUs + dayUs) / 1e6,
        score: 0.25,
      },
    ]);
    // Its markets, by the title of the event.
    assert.deepEqual(
      words.hits.slice(1).map(({ id, score }) => [id, score]),
      ['OTHER', 'T100000', 'T9', 'T95999.99'].map((strike) => [`HIGH-1-${strike}`, 0.1875]),
    );
    assert.equal((await searchAs.search({ q: 'TEMPERATURE, oslo' })).hits[0]?.score, 0.5);
    assert.equal((await searchAs.search({ q: 'climate' })).hits[0]?.id, 'HIGH');
    assert.equal((await searchAs.search({ q: 'oslo bitcoin' })).count, 0);
    assert.deepEqual(
      (await searchAs.search({ q: 'HIGH-1-T95999.99' })).hits.map(({ id }) => id)[0],
      'HIGH-1-T95999.99',
    );
  });

  it('browses by the filters without a query, page after page', async () => {
    const all = await searchAs.search({ limit: 200 });
    assert.equal(all.count, 2 + 51 + 55);
    assert.deepEqual(
      all.hits.slice(0, 2).map(({ id }) => id),
      ['LOOSE', 'HIGH'],
    );
    const page = await searchAs.search({ limit: 10, offset: 100 });
    assert.deepEqual([page.count, page.has_more, page.next_offset], [8, false, null]);
    assert.deepEqual(page.hits, all.hits.slice(100));
    const crypto = await searchAs.search({ category: 'crypto', to_ts: (oldDay + hourUs) / 1e6 });
    assert.deepEqual(
      crypto.hits.map(({ kind, id }) => [kind, id]),
      [
        ['series', 'BTC'],
        ['event', 'BTC-00'],
        ['market', 'BTC-00-1'],
      ],
    );
  });

  it('returns results for any text, however long or odd', async () => {
    const odd = [
      '*',
      '>',
      '%',
      '_',
      "'",
      '"',
      '\\',
      `' OR 1=1 --`,
      '{q:String}',
      '\0',
      '\n',
      'x'.repeat(4_000),
      '💥'.repeat(4_000),
      '\ud83d',
      'zz\tz',
    ];
    for (const text of odd) {
      assert.equal((await searchAs.search({ q: text })).count, text.trim() === '' ? 40 : 0, JSON.stringify(text));
      assert.equal((await searchAs.markets({ q: text })).count, text.trim() === '' ? 30 : 0);
      assert.equal((await searchAs.markets({ series: text, event: text })).count, 0);
      assert.equal((await searchAs.series({ category: text, status: text, q: text })).count, 0);
      await assert.rejects(searchAs.seriesDetail({ series_id: text }), refused('series_not_found'));
      await assert.rejects(searchAs.event({ event_id: text }), refused('event_not_found'));
      const detail = catalog.call('gateway', catalogRpc.marketDetail, { ticker: text });
      await assert.rejects(detail, refused('market_not_found'));
      await assert.rejects(searchAs.target({ event: text }), refused('event_not_found'));
      await assert.rejects(searchAs.target({ ticker: text }), refused('market_not_found'));
      await assert.rejects(searchAs.target({ series: text, day: '2026-02-24' }), refused('series_not_found'));
    }
  });

  it('names an id that does not exist', async () => {
    const [id, day] = ['NOPE', '2026-02-24'];
    const hasDetail = (sentence: string) => (error: unknown) =>
      error instanceof DomainError && error.detail === sentence;
    const market = hasDetail('The archive has no market NOPE. Search with GET /api/v1/search.');
    await assert.rejects(catalog.call('gateway', catalogRpc.marketDetail, { ticker: id }), market);
    await assert.rejects(searchAs.target({ ticker: id }), market);
    const series = hasDetail('The archive has no series NOPE. Search with GET /api/v1/search.');
    await assert.rejects(searchAs.seriesDetail({ series_id: id }), series);
    await assert.rejects(searchAs.target({ series: id, day }), series);
    const event = hasDetail('The archive has no event NOPE. Search with GET /api/v1/search.');
    await assert.rejects(searchAs.event({ event_id: id }), event);
    await assert.rejects(searchAs.target({ event: id }), event);
  });
});

describe('the nearest id of one that does not exist', () => {
  let rpc: RpcClient;
  before(async () => {
    rpc = rpcClient(await catalog.connect('gateway'));
  });

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

describe('a search without words or hits', () => {
  let rpc: RpcClient;
  before(async () => {
    rpc = rpcClient(await catalog.connect('gateway'));
  });
  const noticesOf = async (input: z.input<typeof catalogRpc.search.input>): Promise<string[]> => {
    const { meta } = await rpc.forward(catalogRpc.search, { input, context: { requestId: 'r' } });
    return (meta.notices ?? []).map(({ code, detail }) => `${code}: ${detail}`);
  };

  it('says what there is to search, in words that find something', async () => {
    const hint =
      'search_hint: The archive has 2 series with 51 events and 54 markets. Search for words such as bitcoin and high, or for an id such as BTC.';
    for (const input of [{}, { q: '  ', limit: 1 }, { q: 'nothing like this' }, { q: 'oslo', category: 'crypto' }]) {
      assert.deepEqual(await noticesOf(input), [hint], JSON.stringify(input));
    }
    for (const q of ['bitcoin', 'high', 'BTC']) {
      assert.ok((await catalog.call('gateway', catalogRpc.search, { q })).count > 0, q);
    }
  });

  it('says nothing of it to a search with words or filters, or of a later page, or as of a time', async () => {
    const inputs = [{ q: 'oslo' }, { status: 'live' }, { to_ts: 2e9 }, { offset: 1 }];
    for (const input of inputs) assert.deepEqual(await noticesOf(input), [], JSON.stringify(input));
    assert.match(String(await noticesOf({ as_of: oldDay / 1e6 })), /^search_as_of: Nothing that was listed by /);
    assert.match(String(await noticesOf({ category: 'wether' })), /^unknown_value: /);
  });
});
