import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rows } from '@almanac/clickhouse';
import type { CatalogueFact } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type EventCache, eventCache } from '../event/event-cache.js';
import { matchEvents } from '../event/event-matches.js';
import { matchSeries, putSeries, seriesText } from '../tables/series-text.js';
import { termsOf } from '../words/search-terms.js';
import { vocabularyOf } from '../words/vocabulary.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { filtersOf, type GivenFilters } from '../tables/filters.js';
import { prefixMatchesOf } from '../tables/term-conditions.js';
import { parseTextQuery } from '../tables/text-query.js';
import { wordCache } from '../tables/word-cache.js';
import { searchWordsOf } from '../tables/search-words.js';
import { dayUs, nowUs } from '../testing/archive.js';
import { storedEventHits } from './event-hits.js';
import { cachedEventHits } from './cached-event-hits.js';

const categories = ['crypto', 'weather', null];
const titles = [
  'Bitcoin week',
  'bitcoin  WEEK',
  'Rain in Oslo?',
  'Ärger über 100 %',
  'Bitcoins of the week in Oslo',
  null,
];

/** Events in all states. Every fifth also has a market that closed long ago. */
const factsOfEvent = (n: number): CatalogueFact[] => {
  const event_ticker = `${n % 2 === 0 ? 'KXbtc' : 'RAIN'}-${n}`;
  const series = n % 4 === 0 ? 'DAILY' : null;
  const event = { event_ticker, series, category: categories[n % 3] ?? null, title: titles[n % 6] ?? null };
  const market = { kind: 'market', event_ticker, result: n % 4 === 0 ? 'yes' : null } as const;
  return [
    { kind: 'event', ...event },
    ...(n % 7 === 0 ? [] : [{ ...market, ticker: `${event_ticker}-A`, close_us: nowUs + (10 - n) * dayUs }]),
    ...(n % 5 === 0 ? [{ ...market, ticker: `${event_ticker}-B`, close_us: nowUs - 40 * dayUs }] : []),
  ];
};

const queries = [
  '',
  'bitcoin',
  'bitcoin week',
  'bit wee',
  'WEEK bitcoin',
  'kxbtc',
  'RAIN-3',
  'rain-1',
  'über 100',
  'osl',
  '?',
  'no such',
  'arger uber',
  'weeks',
  'BTC',
  'bit coin week',
  'everyday btc',
  'every day oslo',
  'everyd bitc',
  'a b c d e f g h i j k l m',
];
const daysAgo = (days: number): number => nowUs / 1e6 - days * 86_400;
const filters: GivenFilters[] = [
  {},
  ...['live', 'closed', 'finalized'].map((status) => ({ status })),
  { category: 'crypto' },
  { from_ts: daysAgo(12), to_ts: daysAgo(4) },
  { from_ts: daysAgo(41), to_ts: daysAgo(39), status: 'closed' },
  { from_ts: daysAgo(30), to_ts: daysAgo(20) },
];

describe('the catalogue in memory', () => {
  const log = { error: (facts: object) => assert.fail(JSON.stringify(facts)) };
  const queryContext = { nowUs, signal: new AbortController().signal };
  let catalog: CatalogHarness;
  let cache: EventCache;
  const series = seriesText();
  putSeries(series, {
    id: 'DAILY',
    label: 'Every day',
    derived_label: null,
    fees: [],
    category: null,
    category_label: null,
    shape: null,
  });
  const vocabulary = vocabularyOf(() => [cache.words(), series.words]);
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...Array.from({ length: 40 }, (_, n) => factsOfEvent(n)).flat());
    cache = eventCache(catalog.clickhouse, log);
  });
  after(async () => {
    cache.stop();
    await catalog.stop();
  });

  const compareAll = async (): Promise<void> => {
    const { clickhouse } = catalog;
    const now = await eventually(async () => (await cache.current()) ?? assert.fail('not read yet'));
    let found = 0;
    // Each query with some of the filters, and each filter with some of the queries.
    const cases = queries.flatMap((q, of) =>
      filters.flatMap((given, at) => ((of + at) % 3 === 0 ? [{ q, given }] : [])),
    );
    for (const [index, { q, given }] of cases.entries()) {
      const count = index % 3 === 0 ? 3 : 100;
      const textQuery = parseTextQuery(q, vocabulary) ?? null;
      const matching = textQuery && matchSeries(series, textQuery);
      const request = { filters: filtersOf(given) ?? {}, textQuery, matches: null, count };
      const stored = await storedEventHits({ clickhouse, series: matching }, request, queryContext);
      const matches = textQuery && matching && matchEvents(now, matching, textQuery);
      assert.deepEqual(
        await cachedEventHits({ clickhouse, now, matches }, request, queryContext),
        stored,
        JSON.stringify([q, given, count]),
      );
      found += stored.length;
    }
    assert.ok(found > 100, `${found} hits`);
  };

  it('finds the events that the tables find, in the same order', compareAll);

  it('follows recorded events and changed markets', async () => {
    await catalog.recorded(
      ...factsOfEvent(41),
      { kind: 'event', event_ticker: 'RAIN-3', title: 'Bitcoin week' },
      { kind: 'market', ticker: 'KXbtc-2-A', close_us: nowUs - 25 * dayUs, result: 'no' },
      { kind: 'market', ticker: 'KXbtc-4-A', event_ticker: 'RAIN-7' },
    );
    const sql = `SELECT * FROM events FINAL WHERE event_ticker IN ('RAIN-41', 'RAIN-3')`;
    for (const row of await rows(catalog.clickhouse, { sql }))
      cache.applyEvent(row as Parameters<EventCache['applyEvent']>[0]);
    cache.changed({ all: false, series: new Set(['']), events: false });
    cache.requireRefresh();
    await compareAll();
  });

  it('counts word prefixes as the table does, including those of new markets', async () => {
    const { clickhouse } = catalog;
    const words = wordCache(clickhouse, log);
    try {
      const input = ['b', 'bit', 'bitcoin', 'kxbtc', 'rain', '1', '10', 'absent', 'z'];
      const textQuery = {
        id: '',
        words: input,
        title: '',
        terms: termsOf(
          input,
          vocabularyOf(() => [undefined]),
        ),
      };
      const compare = async () => {
        const known = await eventually(() => words.prefixMatchesOf(input) ?? assert.fail('not read yet'));
        const stored = { clickhouse, words: { prefixMatchesOf: () => undefined } };
        assert.deepEqual(known, await prefixMatchesOf(stored, textQuery, queryContext));
      };
      await compare();
      const title = 'Bitcoin, bits and zebras';
      await catalog.recorded({ kind: 'market', ticker: 'Z-1', title });
      assert.deepEqual(words.prefixMatchesOf(['zebras']), [{ n: 0, isWord: false }]);
      words.add(searchWordsOf({ id: 'Z-1', title, texts: [] }));
      assert.deepEqual(words.prefixMatchesOf(['z', 'zebras']), [
        { n: 2, isWord: true },
        { n: 1, isWord: true },
      ]);
      await compare();
    } finally {
      words.stop();
    }
  });
});
