import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogueFact } from '@almanac/contracts';
import { catalogueFormatOf, entitiesIn } from './catalogue-formats.js';
import { seriesOfEvent } from './kalshi/kalshi-markets.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import type { JsonObject } from '../sources/source.js';

const read = (record: JsonObject, known = knownCatalogue()) => {
  const found = entitiesIn(record).map((entity) => {
    const format = catalogueFormatOf(entity);
    assert.ok(format, JSON.stringify(entity));
    const facts = format.read(entity, known, null);
    for (const fact of facts.facts) known.see(fact);
    return facts;
  });
  const facts = found.flatMap((each) => each.facts);
  return { facts: facts.map(statedFields), dropped: found.flatMap(({ dropped }) => dropped) };
};

/** The stated fields of a fact. Its knowledge times are tested in terms-formats.spec.ts. */
const statedFields = (fact: CatalogueFact): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fact).filter(([name, value]) => name !== 'history' && value !== null && value !== undefined),
  );

const kalshi = {
  ticker: 'KXBTC-26APR1817-B76125',
  event_ticker: 'KXBTC-26APR1817',
  title: 'Bitcoin price on Apr 18, 2026 at 5pm EDT?',
  yes_sub_title: '$76,000 to 76,249.99',
  status: 'finalized',
  result: 'no',
  open_time: '2026-04-17T21:00:00Z',
  close_time: '2026-04-18T21:00:00Z',
  settlement_ts: '2026-04-18T21:05:00.123456Z',
  strike_type: 'between',
  floor_strike: '76000',
  cap_strike: '76249.99',
  expiration_value: '75912.3400',
};

test('a settled Kalshi market fills every field of the archive, and reports the one without a column', () => {
  const { facts, dropped } = read({ market: kalshi });
  assert.deepEqual(facts, [
    {
      kind: 'market',
      ticker: kalshi.ticker,
      venue: 'kalshi',
      event_ticker: kalshi.event_ticker,
      series: 'KXBTC',
      title: 'Bitcoin price on Apr 18, 2026 at 5pm EDT? ($76,000 to 76,249.99)',
      venue_status: 'finalized',
      result: 'no',
      open_us: Date.UTC(2026, 3, 17, 21) * 1000,
      close_us: Date.UTC(2026, 3, 18, 21) * 1000,
      settlement_us: Date.UTC(2026, 3, 18, 21, 5) * 1000 + 123_456,
      floor_strike: '76000',
      strike_type: 'between',
      expiration_value: '75912.34',
    },
  ]);
  assert.deepEqual(dropped, ['cap_strike: the archive has no field for it']);
});

test('an invalid value in a Kalshi market costs its field, and the reason is the same for every market', () => {
  const dirty = {
    ...kalshi,
    open_time: [kalshi.open_time],
    close_time: 'soon',
    floor_strike: '1e40',
    expiration_value: 'Judy Shelton',
    cap_strike: null,
  };
  const { facts, dropped } = read(dirty);
  assert.equal(facts[0]?.['close_us'], undefined);
  assert.equal(facts[0]?.['ticker'], kalshi.ticker);
  assert.deepEqual(dropped, [
    'open_ts: not a whole time',
    'close_ts: not a whole time',
    'floor_strike: not a decimal number',
    'expiration_value: not a decimal number',
  ]);
});

test('a market takes series and category from its event and series, even a market inside its event', () => {
  const known = knownCatalogue();
  const event = {
    event_ticker: 'MOON',
    series_ticker: 'KXMOON',
    title: 'Who is next on the Moon?',
    sub_title: 'Before 2031',
  };
  const market = { ...kalshi, ticker: 'MOON-CN', event_ticker: 'MOON', cap_strike: null };
  read({ ticker: 'KXMOON', title: ' Moon ', category: 'Science and Technology', frequency: 'custom' }, known);
  const { facts } = read({ ...event, markets: [market] }, known);
  const category = { category: 'science-and-technology', category_label: 'Science and Technology' };
  assert.partialDeepStrictEqual(facts, [
    {
      kind: 'event',
      event_ticker: 'MOON',
      title: 'Who is next on the Moon? (Before 2031)',
      series: 'KXMOON',
      ...category,
    },
    { kind: 'market', ticker: 'MOON-CN', series: 'KXMOON', ...category },
  ]);
  assert.partialDeepStrictEqual(read(market, known).facts, [{ series: 'KXMOON', ...category }]);
  assert.deepEqual(
    read(market).dropped,
    ['series: neither the files nor the ticker tell it'],
    'and nothing is guessed',
  );
});

test('a settlement value is what a contract of the yes side paid, in dollars or in cents, also of a void market', () => {
  const market = { ticker: 'KXE-1-A', event_ticker: 'KXE-1', close_time: '2026-01-01T00:00:00Z', status: 'finalized' };
  const paid = (values: object) => {
    const { facts, dropped } = read({ ...market, series_ticker: 'KXE', ...values });
    const { result, settlement_value: value } = facts.find(({ kind }) => kind === 'market') ?? {};
    return [result, value, dropped];
  };
  assert.deepEqual(paid({ result: 'scalar', settlement_value_dollars: '0.3700' }), ['scalar', '0.37', []]);
  assert.deepEqual(paid({ result: 'void', settlement_value: 37 }), ['void', '0.37', []]);
  assert.deepEqual(paid({ result: 'no', settlement_value: 0, settlement_value_dollars: null }), ['no', '0', []]);
  assert.deepEqual(paid({ result: '' }), [undefined, undefined, []]);
  const dirt = ['settlement_value: not a decimal number'];
  assert.deepEqual(paid({ result: 'yes', settlement_value_dollars: 'all' }), ['yes', undefined, dirt]);
  const fraction = ['settlement_value: not whole cents'];
  assert.deepEqual(paid({ result: 'scalar', settlement_value: 0.37 }), ['scalar', undefined, fraction]);
});

test('the series of an event is the stated one, else the one that its ticker proves', () => {
  const known = knownCatalogue();
  known.see({ kind: 'series', id: 'KXNEWTAYLOR-TS' });
  known.see({ kind: 'series', id: 'KXFED' });
  known.see({ kind: 'event', event_ticker: 'EUEXIT', series: 'KXEUEXIT' });
  const cases = {
    'KXNEWTAYLOR-TS-25': 'KXNEWTAYLOR-TS',
    'FED-25DEC': 'KXFED',
    EUEXIT: 'KXEUEXIT',
    'KXFEDMENTION-26MAR': 'KXFEDMENTION',
    'KX1SONG-DRAKE-DEC2725': null,
    'APPLEFOLD-25': null,
  };
  for (const [event, series] of Object.entries(cases)) assert.equal(seriesOfEvent(event, known), series, event);
});

const gamma = {
  slug: 'will-it-rain-on-friday',
  conditionId: '0x1',
  question: 'Will it rain on Friday?',
  category: 'Pop-Culture ',
  outcomes: '["Yes", "No"]',
  outcomePrices: '["0.35", "0.65"]',
  active: true,
  closed: false,
  startDate: '2026-06-01T10:00:00.5Z',
  endDate: '2026-06-05T12:00:00Z',
};

test('an open gamma market has no result whatever its prices, and is its own event', () => {
  const { facts, dropped } = read(gamma);
  const category = { category: 'pop-culture', category_label: 'Pop-Culture' };
  assert.deepEqual(facts, [
    { kind: 'event', event_ticker: gamma.slug, title: gamma.question, ...category },
    {
      kind: 'market',
      ticker: gamma.slug,
      venue: 'polymarket',
      event_ticker: gamma.slug,
      title: gamma.question,
      ...category,
      venue_status: 'active',
      open_us: Date.UTC(2026, 5, 1, 10) * 1000 + 500_000,
      close_us: Date.UTC(2026, 5, 5, 12) * 1000,
      feed_ids: { condition: '0x1', yes: null, no: null },
    },
  ]);
  assert.deepEqual(dropped, []);
});

test('a resolved gamma market is yes when its first outcome is worth 1, and has no result when no outcome is', () => {
  const resolved = { ...gamma, closed: true, umaResolutionStatus: 'resolved', closedTime: '2026-06-06 01:02:03+00' };
  const result = (outcomePrices: string) => {
    const { facts, dropped } = read({ ...resolved, outcomePrices });
    return [facts[1]?.['result'], facts[1]?.['settlement_value'], dropped];
  };
  assert.deepEqual(result('["1", "0"]'), ['yes', '1', []]);
  assert.deepEqual(result('["0", "1"]'), ['no', '0', []]);
  const noResult = ['result: no outcome of two is worth all'];
  assert.deepEqual(result('["0.5", "0.5"]'), [undefined, '0.5', noResult]);
  assert.deepEqual(result('["0.1", "0.9"]'), [undefined, '0.1', noResult]);
  for (const neither of ['["0.5", "0.6"]', '["1", "0", "0"]', '[]', 'dirt'])
    assert.deepEqual(result(neither), [undefined, undefined, noResult], neither);
  const { facts } = read(resolved);
  assert.equal(facts[1]?.['settlement_us'], Date.UTC(2026, 5, 6, 1, 2, 3) * 1000);
  assert.equal(facts[1]?.['venue_status'], 'resolved');
});

test('a gamma event gives its series, itself and its markets, a market of a group with its name in the group', () => {
  const event = {
    slug: 'next-pope',
    title: 'Next pope?',
    category: 'World',
    series: [{ slug: 'popes', title: 'Popes' }],
    markets: [
      { ...gamma, slug: 'next-pope-a', question: 'Will A be next?', groupItemTitle: 'Cardinal A', category: null },
      { ...gamma, slug: 'next-pope-b', question: 'Will B be next?', groupItemTitle: 'B', category: null },
    ],
  };
  const category = { category: 'world', category_label: 'World' };
  assert.partialDeepStrictEqual(read({ events: [event], next_cursor: 'x' }).facts, [
    { kind: 'series', id: 'popes', label: 'Popes', ...category },
    { kind: 'event', event_ticker: 'next-pope', title: 'Next pope?', series: 'popes', ...category },
    {
      kind: 'market',
      ticker: 'next-pope-a',
      event_ticker: 'next-pope',
      series: 'popes',
      title: 'Will A be next? (Cardinal A)',
      ...category,
    },
    {
      kind: 'market',
      ticker: 'next-pope-b',
      event_ticker: 'next-pope',
      series: 'popes',
      title: 'Will B be next?',
      ...category,
    },
  ]);
});

test('a rolling market of any coin and span belongs to the series that its slug begins with, even when gamma names another', () => {
  const slug = 'eth-updown-15m-1780876500';
  const event = { slug, title: 'Ethereum Up or Down - June 7', seriesSlug: 'eth-up-or-down-15m' };
  const market = {
    ...gamma,
    slug,
    category: null,
    feeType: 'crypto_fees_v2',
    question: 'Ethereum Up or Down - June 7',
    events: [event],
  };
  assert.partialDeepStrictEqual(read(market).facts, [
    {
      kind: 'series',
      id: 'eth-updown-15m',
      label: 'Ethereum Up or Down 15m',
      category: 'crypto',
      category_label: 'Crypto',
    },
    { kind: 'event', event_ticker: slug },
    { kind: 'market', ticker: slug, series: 'eth-updown-15m', category: 'crypto' },
  ]);
});
