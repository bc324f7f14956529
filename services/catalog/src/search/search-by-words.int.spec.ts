import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CatalogueFact, catalogRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { eventually } from '@almanac/testing';
import { categoryMark, seriesWords, wordsOfWholeId } from '../tables/series-words.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { dayUs, nowUs } from '../testing/archive.js';

type Reported = Partial<Extract<CatalogueFact, { kind: 'market' }>>;

const market = (ticker: string, title: string, more: Reported = {}): CatalogueFact => ({
  close_us: nowUs - dayUs,
  ...more,
  kind: 'market',
  ticker,
  title,
});

describe('a search by words', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(
      market('KXmix-26Nov-T1', 'Bitcoin above 100 in Zürich', { category: 'crypto', category_label: 'Digital coins' }),
      market('B-LIVE', 'Bitcoin up?', { close_us: nowUs + dayUs }),
      market('B-OPEN', 'Bitcoin for ever', { close_us: null, venue_status: 'active' }),
      market('B-OLD', 'Bitcoin up?', { close_us: nowUs - 2 * dayUs, result: 'yes' }),
      market('B-OLDER', 'Bitcoin up?', { close_us: nowUs - 3 * dayUs }),
      market('T-CAFE', 'cafe\u0301 \u2160 東京 ﬁnal', { category: 'food' }),
      market('BITCOIN', 'a ticker that is a word'),
      { kind: 'event', event_ticker: 'B-EVENT', title: 'Bitcoin week', series: 'B', category: 'crypto' },
      market('B-IN-EVENT', 'of the week', { event_ticker: 'B-EVENT', series: 'B', close_us: nowUs - 2 * dayUs }),
      { kind: 'series', id: 'KXBTC15M', label: 'Price in a quarter of an hour' },
      { kind: 'series', id: 'KXETH15M', label: 'Price in a quarter of an hour' },
      { kind: 'event', event_ticker: 'KXBTC15M-26FEB241700', series: 'KXBTC15M' },
      market('KXBTC15M-26FEB241700-00', 'Up?', { event_ticker: 'KXBTC15M-26FEB241700', series: 'KXBTC15M' }),
      { kind: 'series', id: 'B', label: 'Weekly bitcoin', category: 'crypto', category_label: 'Digital coins' },
    );
  });
  after(() => catalog.stop());

  const searchAs = (input: z.input<typeof catalogRpc.search.input>) =>
    catalog.call('gateway', catalogRpc.search, input);
  const ids = async (q: string, more: object = {}): Promise<string[]> =>
    (await searchAs({ q, ...more })).hits.map(({ id }) => id);
  const scores = async (q: string): Promise<Record<string, number>> =>
    Object.fromEntries((await searchAs({ q })).hits.map(({ id, score }) => [id, score]));

  it('ranks live entities first, then later closes, then the wider kind, then the id', async () => {
    assert.deepEqual(await ids('bitcoin'), [
      'BITCOIN',
      'B-OPEN',
      'B-LIVE',
      'KXmix-26Nov-T1',
      'B',
      'B-EVENT',
      'B-OLD',
      'B-OLDER',
      // By another name of the coin, then by the event.
      'KXBTC15M',
      'KXBTC15M-26FEB241700',
      'KXBTC15M-26FEB241700-00',
      'B-IN-EVENT',
    ]);
    assert.deepEqual(
      (await searchAs({ q: 'Bitcoin', limit: 3, offset: 3 })).hits.map(({ id, status }) => [id, status]),
      [
        ['KXmix-26Nov-T1', 'closed'],
        ['B', 'closed'],
        ['B-EVENT', 'closed'],
      ],
    );
  });

  it('finds coin series by the words that people type', async () => {
    for (const q of ['btc', 'btc 15m', '15M btc', 'BTC15M', 'KXBTC15M']) {
      assert.ok((await ids(q)).includes('KXBTC15M'), q);
      assert.ok((await ids(q)).includes('KXBTC15M-26FEB241700-00'), q);
    }
    assert.deepEqual(await scores('15m'), {
      KXBTC15M: 0.5,
      KXETH15M: 0.5,
      'KXBTC15M-26FEB241700': 0.5,
      'KXBTC15M-26FEB241700-00': 0.5,
    });
    assert.deepEqual(await scores('eth'), { KXETH15M: 0.5 });
    const listed = await catalog.call('gateway', catalogRpc.listSeries, { q: '15M' });
    assert.deepEqual(
      listed.series.map(({ id }) => id),
      ['KXBTC15M', 'KXETH15M'],
    );
  });

  it('ranks a title equal to the query after id prefixes and before words', async () => {
    assert.deepEqual(await scores('bitcoin  WEEK'), { 'B-EVENT': 0.625, 'B-IN-EVENT': 0.375, B: 0.25 });
    assert.deepEqual(await scores('weekly Bitcoin'), { B: 0.625, 'B-EVENT': 0.375, 'B-IN-EVENT': 0.375 });
    assert.deepEqual(await scores(' Bitcoin for EVER '), { 'B-OPEN': 0.625 });
    assert.deepEqual(await scores('ever for bitcoin'), { 'B-OPEN': 0.5 });
    const byName = { 'KXBTC15M-26FEB241700-00': 0.4375 };
    assert.deepEqual(await scores('bitcoin up?'), { 'B-LIVE': 0.625, 'B-OLD': 0.625, 'B-OLDER': 0.625, ...byName });
    assert.deepEqual(await scores('bitcoin up'), { 'B-LIVE': 0.5, 'B-OLD': 0.5, 'B-OLDER': 0.5, ...byName });
  });

  it('finds ids in any case, exact ids before prefixes', async () => {
    for (const q of ['KXmix-26Nov-T1', 'kxmix-26nov-t1', 'KXMIX-26NOV-T1', 'kXmIx-26nOv-T1']) {
      assert.deepEqual(await scores(q), { 'KXmix-26Nov-T1': 1 });
    }
    assert.deepEqual(await scores('kxMIX-26'), { 'KXmix-26Nov-T1': 0.75 });
    assert.deepEqual(await scores('b-ol'), { 'B-OLD': 0.75, 'B-OLDER': 0.75 });
    assert.deepEqual(await scores('b-old'), { 'B-OLD': 1, 'B-OLDER': 0.75 });
  });

  it('finds words across title, label and category in any order, and prefixes after whole words', async () => {
    assert.deepEqual(await scores('zürich coins'), { 'KXmix-26Nov-T1': 0.5 });
    assert.deepEqual(await scores('CRYPTO 100 bitcoin'), { 'KXmix-26Nov-T1': 0.5 });
    assert.deepEqual(await scores('zür BITC'), { 'KXmix-26Nov-T1': 0.25 });
    assert.deepEqual(await scores('wee'), { 'B-EVENT': 0.25, B: 0.25, 'B-IN-EVENT': 0.25 });
    assert.deepEqual(await scores('week'), { 'B-EVENT': 0.5, 'B-IN-EVENT': 0.5, B: 0.25 });
    assert.deepEqual(await ids('bitcoin london'), []);
  });

  it('matches letters of any script, composed or not', async () => {
    for (const q of ['café', 'CAFE\u0301', 'i', '東京', '東', 'final', 'FINAL 東京 café']) {
      assert.ok((await ids(q)).includes('T-CAFE'), q);
    }
  });

  it('filters every kind by category, status and close', async () => {
    assert.deepEqual(await ids('bitcoin', { category: 'crypto' }), ['KXmix-26Nov-T1', 'B', 'B-EVENT']);
    assert.deepEqual(await ids('bitcoin', { status: 'live' }), ['B-OPEN', 'B-LIVE']);
    assert.deepEqual(await ids('bitcoin', { status: 'finalized' }), ['B-OLD']);
    assert.deepEqual(await ids('bitcoin', { status: 'open' }), []);
    const until = { to_ts: (nowUs - 2 * dayUs) / 1e6 };
    assert.deepEqual(await ids('bitcoin', until), ['B', 'B-EVENT', 'B-OLD', 'B-OLDER', 'B-IN-EVENT']);
    assert.deepEqual(
      await ids('bitcoin', { from_ts: (nowUs - 3 * dayUs) / 1e6, ...until }),
      await ids('bitcoin', until),
    );
    assert.deepEqual(await ids('bitcoin', { from_ts: nowUs / 1e6 }), ['B-LIVE']);
  });

  it('finds a series and an event in a window by any of their markets', async () => {
    await catalog.recorded(
      market('W-1', 'windy one', { event_ticker: 'W', series: 'WIND', close_us: nowUs - 9 * dayUs }),
      market('W-2', 'windy two', { event_ticker: 'W', series: 'WIND', close_us: nowUs + dayUs }),
      // The window lies between its closes. Then one market closes inside.
      market('X-1', 'windy four', { event_ticker: 'X', series: 'XIND', close_us: nowUs - 19 * dayUs }),
      market('X-2', 'windy five', { event_ticker: 'X', series: 'XIND', close_us: nowUs + dayUs }),
      market('X-3', 'windy six', { event_ticker: 'X', series: 'XIND', close_us: nowUs - 9 * dayUs }),
      market('Y-1', 'windy seven', { event_ticker: 'Y', series: 'YIND', close_us: nowUs - 19 * dayUs }),
      market('Y-2', 'windy eight', { event_ticker: 'Y', series: 'YIND', close_us: nowUs + dayUs }),
    );
    // These markets had another close first, which was inside the window.
    await catalog.recorded(
      market('Y-3', 'windy nine', { event_ticker: 'Y', series: 'YIND', close_us: nowUs - 9 * dayUs }),
      market('V-1', 'windy three', { event_ticker: 'V', series: 'VIND', close_us: nowUs - 9 * dayUs }),
    );
    await catalog.recorded(
      market('Y-3', 'windy nine', { event_ticker: 'Y', series: 'YIND', close_us: nowUs - dayUs }),
      market('V-1', 'windy three', { event_ticker: 'V', series: 'VIND', close_us: nowUs - dayUs }),
    );
    const window = { from_ts: (nowUs - 10 * dayUs) / 1e6, to_ts: (nowUs - 8 * dayUs) / 1e6 };
    assert.deepEqual(await ids('', window), ['WIND', 'XIND', 'W', 'X', 'W-1', 'X-3']);
    const listed = await catalog.call('gateway', catalogRpc.listSeries, window);
    assert.deepEqual([listed.series.map(({ id }) => id), listed.markets_n, listed.events_n], [['WIND', 'XIND'], 2, 2]);
  });

  it('finds markets by a category and an id that none of their series had', async () => {
    await catalog.recorded(
      { kind: 'series', id: 'PLANT', label: 'Plants', category: 'nature' },
      market('PLANT-1-A', 'Tulips in spring', { series: 'PLANT', category: 'nature' }),
      market('PLANT-1-B', 'Tulips in autumn', { series: 'PLANT', category: 'nature' }),
    );
    assert.deepEqual(await ids('tulips', { category: 'garden' }), []);
    await catalog.recorded(
      market('PLANT-1-B', 'Tulips in autumn', { series: 'PLANT', category: 'garden' }),
      market('PLANT', 'A market named as its series', { series: 'PLANT' }),
      market('Plant.½.½', 'Half a plant', { series: 'PLANT' }),
    );
    assert.deepEqual(await ids('tulips', { category: 'garden' }), ['PLANT-1-B']);
    assert.deepEqual(await ids('tulips', { category: 'nature' }), ['PLANT-1-A']);
    for (const id of ['PLANT', 'PLANT-1-A', 'Plant.½.½']) assert.equal((await scores(id.toLowerCase()))[id], 1);
    // What another process reads from the tables.
    const read = seriesWords(catalog.clickhouse, { error: (_, message) => assert.fail(message) });
    read.read();
    await eventually(async () => assert.equal(read.mayHave('of no market', 'word'), false));
    for (const category of ['garden', 'nature']) assert.ok(read.mayHave('PLANT', categoryMark(category)), category);
    for (const id of ['PLANT', 'PLANT-1-A', 'Plant.½.½'])
      assert.ok(
        wordsOfWholeId(id).some((mark) => read.mayHave('PLANT', mark)),
        id,
      );
    read.stop();
  });

  it('finds new facts at once, by words that no market had before', async () => {
    assert.deepEqual(await ids('unheard'), []);
    await catalog.recorded(market('NEW-1', 'Unheardof words'));
    assert.deepEqual(await scores('unheard'), { 'NEW-1': 0.25 });
  });
});
