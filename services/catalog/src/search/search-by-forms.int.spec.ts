import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CatalogueFact, catalogRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { dayUs, nowUs } from '../testing/archive.js';

const market = (ticker: string, title: string | null, more: object = {}): CatalogueFact => ({
  close_us: nowUs - dayUs,
  ...more,
  kind: 'market',
  ticker,
  title,
});

const inEvent = (event_ticker: string, series: string) => ({ event_ticker, series });

const archive: CatalogueFact[] = [
  { kind: 'series', id: 'WORLD', label: 'World economy', category: 'economics', category_label: 'Economics' },
  { kind: 'event', event_ticker: 'WORLD-26', title: 'Countries in recession?', series: 'WORLD' },
  market('WORLD-26-GER', 'Germany', inEvent('WORLD-26', 'WORLD')),
  market('WORLD-26-JPN', 'Japan', inEvent('WORLD-26', 'WORLD')),
  market('GER-BAN', 'Germany bans TikTok'),
  market('TT-1', 'Will Tik Tok be sold?'),
  market('VOTE-1', 'Presidential election of Ávila'),
  market('VOTE-2', 'Elections in Łódź'),
  { kind: 'series', id: 'KXBTC15M', shape: 'rolling' },
  market('KXBTC15M-1-00', null, inEvent('KXBTC15M-1', 'KXBTC15M')),
  market('PRICE-1', 'Bitcoin price in 15 minutes'),
  { kind: 'series', id: 'LOOSE', label: 'Loosely gathered' },
  market('ALONE', 'A market without an event', { series: 'LOOSE' }),
  // The event names its series, the market names none.
  { kind: 'event', event_ticker: 'NAMED-1', title: 'Snowfall of the winter', series: 'WORLD' },
  market('NAMED-1-A', 'More than 10 cm', { event_ticker: 'NAMED-1' }),
  ...Array.from({ length: 30 }, (_, n) =>
    market(`MANY-${String(n).padStart(2, '0')}`, `Candidate ${n}`, {
      ...inEvent(`MANYEVENT-${n % 3}`, 'MANY'),
      close_us: nowUs - (n + 2) * dayUs,
    }),
  ),
  ...['first', 'second', 'third'].map((round, n): CatalogueFact => ({
    kind: 'event',
    event_ticker: `MANYEVENT-${n}`,
    title: `Runoff, ${round} round`,
    series: 'MANY',
  })),
];

describe('a search by other forms of words', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
  });
  after(() => catalog.stop());

  const searchAs = (q: string, more: object = {}) => catalog.call('gateway', catalogRpc.search, { q, ...more });
  const ids = async (q: string, more: object = {}) => (await searchAs(q, more)).hits.map(({ id }) => id);
  const scores = async (q: string) => Object.fromEntries((await searchAs(q)).hits.map(({ id, score }) => [id, score]));

  it('finds markets by their own words together with those of their event and series', async () => {
    assert.deepEqual(await scores('germany recession'), { 'WORLD-26-GER': 0.375 });
    assert.deepEqual(await scores('world economy recession'), {
      'WORLD-26': 0.375,
      'WORLD-26-GER': 0.375,
      'WORLD-26-JPN': 0.375,
    });
    assert.deepEqual(await scores('world germany'), { 'WORLD-26-GER': 0.5 });
    assert.deepEqual(await scores('economy japan countries'), { 'WORLD-26-JPN': 0.375 });
    assert.deepEqual(await scores('loosely event'), { ALONE: 0.375 });
    assert.deepEqual(await scores('economy snowfall 10'), { 'NAMED-1-A': 0.375 });
  });

  it('finds them by prefixes of such words too', async () =>
    assert.deepEqual(await scores('germ recess'), { 'WORLD-26-GER': 0.1875 }));

  it('finds singular and plural, with and without accents', async () => {
    assert.deepEqual(await scores('election'), { 'VOTE-1': 0.5, 'VOTE-2': 0.4375 });
    assert.deepEqual(await scores('elections'), { 'VOTE-2': 0.5, 'VOTE-1': 0.4375 });
    assert.deepEqual(await scores('country recessions'), {
      'WORLD-26': 0.4375,
      'WORLD-26-GER': 0.375,
      'WORLD-26-JPN': 0.375,
    });
    assert.deepEqual(await ids('avila'), ['VOTE-1']);
    assert.deepEqual(await ids('lodz elections'), ['VOTE-2']);
    assert.deepEqual(await ids('gérmany bans'), ['GER-BAN']);
  });

  it('finds words joined and split', async () => {
    assert.deepEqual(await scores('tik tok'), { 'TT-1': 0.5, 'GER-BAN': 0.4375 });
    assert.deepEqual(await scores('tiktok'), { 'GER-BAN': 0.5, 'TT-1': 0.4375 });
    // Both words, but not one after the other.
    assert.deepEqual(await ids('toksold'), []);
  });

  it('finds coins and units by their usual names', async () => {
    const own = ['KXBTC15M', 'KXBTC15M-1', 'KXBTC15M-1-00'];
    for (const q of ['bitcoin 15 minute', 'bitcoin 15min', 'BTC 15 minutes', 'btc 15m'])
      assert.deepEqual((await ids(q)).toSorted(), [...own, 'PRICE-1'].toSorted(), q);
  });

  it('leaves out fill words', async () =>
    assert.deepEqual(await scores('will there be a recession in germany'), { 'WORLD-26-GER': 0.375 }));

  it('searches the nearest spelling if nothing matches, and returns it', async () => {
    const { hits, corrected_query } = await searchAs('germny recesion');
    assert.equal(corrected_query, 'germany recession');
    assert.deepEqual(
      hits.map(({ id }) => id),
      ['WORLD-26-GER'],
    );
    assert.equal((await searchAs('germany')).corrected_query, undefined);
    const none = await searchAs('xylophones of zanzibar');
    assert.deepEqual([none.count, none.corrected_query], [0, undefined]);
  });

  it('applies filters, and pages through markets of many events in order', async () => {
    assert.deepEqual(await ids('germany recession', { status: 'live' }), []);
    assert.deepEqual(await ids('germany recession', { category: 'sports' }), []);
    const all = (await ids('runoff', { limit: 200 })).filter((id) => id.startsWith('MANY-'));
    const expected = Array.from({ length: 30 }, (_, n) => `MANY-${String(n).padStart(2, '0')}`);
    assert.deepEqual(all, expected);
    const pages: string[] = [];
    for (let offset = 0; offset < 40; offset += 7) pages.push(...(await ids('runoff', { offset, limit: 7 })));
    assert.deepEqual(pages, await ids('runoff', { limit: 200 }));
    const { markets } = await catalog.call('gateway', catalogRpc.listMarkets, { q: 'germany recession' });
    assert.deepEqual(
      markets.map(({ ticker }) => ticker),
      ['WORLD-26-GER'],
    );
  });

  it('finds markets among more events than one statement can name', async () => {
    const facts = Array.from({ length: 1_100 }, (_, n): CatalogueFact[] => [
      { kind: 'event', event_ticker: `CROWD-${n}`, title: n === 5 ? 'Night of the gala' : 'Night', series: 'CROWD' },
      market(`CROWD-${n}-A`, n === 9 ? 'Guest at a gala' : 'Guest', inEvent(`CROWD-${n}`, 'CROWD')),
    ]).flat();
    for (let from = 0; from < facts.length; from += 500) await catalog.recorded(...facts.slice(from, from + 500));
    assert.deepEqual(await scores('night gala guest'), { 'CROWD-5-A': 0.375, 'CROWD-9-A': 0.375 });
    const { hits } = await searchAs('nights guests', { limit: 200, offset: 1_000 });
    assert.equal(hits.length, 100);
    const { markets } = await catalog.call('gateway', catalogRpc.listMarkets, { q: 'night gala guest' });
    assert.deepEqual(
      markets.map(({ ticker }) => ticker),
      ['CROWD-5-A', 'CROWD-9-A'],
    );
  });

  it('finds ids with a blank, a long character or little else by their start, also after a restart', async () => {
    assert.deepEqual(await ids('old style'), []);
    await catalog.recorded(market('Old style 1', 'Up?'), market('Old style 2', 'Down?'));
    await catalog.recorded(market('QÜ😀-1', 'Up?'), market('Q~', 'Down?'));
    for (const isRestarted of [false, true]) {
      if (isRestarted) await catalog.restart();
      const { hits } = await catalog.call('gateway', catalogRpc.search, { q: 'old style 1' });
      assert.deepEqual(
        hits.map(({ id, score }) => ({ id, score })),
        [{ id: 'Old style 1', score: 1 }],
      );
      assert.deepEqual((await ids('old sty')).toSorted(), ['Old style 1', 'Old style 2']);
      assert.deepEqual(await ids('qÜ😀'), ['QÜ😀-1']);
      assert.equal((await ids('q~'))[0], 'Q~');
    }
  });

  it('follows the titles of events and series that are stated or changed later, also after a restart', async () => {
    assert.deepEqual(await ids('downturn germany'), []);
    await catalog.recorded({ kind: 'event', event_ticker: 'WORLD-26', title: 'Countries in a downturn?' });
    assert.deepEqual(await ids('downturn germany'), ['WORLD-26-GER']);
    assert.deepEqual(await ids('germany recession'), []);
    await catalog.recorded({ kind: 'series', id: 'WORLD', label: 'Global outlook' });
    assert.deepEqual(await ids('outlook germany'), ['WORLD-26-GER']);
    assert.deepEqual(await ids('economy germany'), []);
    await catalog.restart();
    await eventually(async () => assert.deepEqual(await ids('outlook downturn germany'), ['WORLD-26-GER']));
    assert.deepEqual(await ids('economy germany'), []);
  });
});
