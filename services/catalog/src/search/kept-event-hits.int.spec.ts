import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rows } from '@almanac/clickhouse';
import type { CatalogueFact } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type EventsKept, eventsKept } from '../event/events-kept.js';
import { type RunningCatalog, runCatalog } from '../testing/running-catalog.js';
import { filtersOf, type GivenFilters } from '../tables/filters.js';
import { beginningsOf, questionOf } from '../tables/question.js';
import { wordsKept } from '../tables/words-kept.js';
import { wordsOfThing } from '../tables/words.js';
import { dayUs, nowUs } from '../testing/test-archive.js';
import { storedEventHits } from './event-hits.js';
import { keptEventHits } from './kept-event-hits.js';

const categories = ['crypto', 'weather', null];
const titles = [
  'Bitcoin week',
  'bitcoin  WEEK',
  'Rain in Oslo?',
  'Ärger über 100 %',
  'Bitcoins of the week in Oslo',
  null,
];

/** Events in all states; every fifth has a market that closed long ago beside the one that tells its state. */
const eventFacts = (n: number): CatalogueFact[] => {
  const event_ticker = `${n % 2 === 0 ? 'KXbtc' : 'RAIN'}-${n}`;
  const event = { event_ticker, category: categories[n % 3] ?? null, title: titles[n % 6] ?? null };
  const market = { kind: 'market', event_ticker, result: n % 4 === 0 ? 'yes' : null } as const;
  return [
    { kind: 'event', ...event },
    ...(n % 7 === 0 ? [] : [{ ...market, ticker: `${event_ticker}-A`, close_us: nowUs + (10 - n) * dayUs }]),
    ...(n % 5 === 0 ? [{ ...market, ticker: `${event_ticker}-B`, close_us: nowUs - 40 * dayUs }] : []),
  ];
};

const questions = [
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
  const asking = { nowUs, signal: new AbortController().signal };
  let catalog: RunningCatalog;
  let kept: EventsKept;
  before(async () => {
    catalog = await runCatalog();
    await catalog.recorded(...Array.from({ length: 40 }, (_, n) => eventFacts(n)).flat());
    kept = eventsKept(catalog.clickhouse, log);
  });
  after(async () => {
    kept.stop();
    await catalog.stop();
  });

  const compareAll = async (): Promise<void> => {
    const { clickhouse } = catalog;
    const now = await eventually(async () => (await kept.current()) ?? assert.fail('not read yet'));
    let found = 0;
    const cases = questions.flatMap((q) => filters.map((given) => ({ q, given })));
    for (const [index, { q, given }] of cases.entries()) {
      const count = index % 3 === 0 ? 3 : 100;
      const sought = { filters: filtersOf(given) ?? {}, question: questionOf(q) ?? null, count };
      const stored = await storedEventHits(clickhouse, sought, asking);
      assert.deepEqual(
        await keptEventHits({ clickhouse, now }, sought, asking),
        stored,
        JSON.stringify([q, given, count]),
      );
      found += stored.length;
    }
    assert.ok(found > 300, `${found} hits`);
  };

  it('finds the events that the tables find, in the same order', compareAll);

  it('follows events that are told of and markets that change', async () => {
    await catalog.recorded(
      ...eventFacts(41),
      { kind: 'event', event_ticker: 'RAIN-3', title: 'Bitcoin week' },
      { kind: 'market', ticker: 'KXbtc-2-A', close_us: nowUs - 25 * dayUs, result: 'no' },
      { kind: 'market', ticker: 'KXbtc-4-A', event_ticker: 'RAIN-7' },
    );
    const sql = `SELECT * FROM events FINAL WHERE event_ticker IN ('RAIN-41', 'RAIN-3')`;
    for (const row of await rows(catalog.clickhouse, { sql })) kept.heard(row as Parameters<EventsKept['heard']>[0]);
    kept.changed({ all: false, series: new Set(['']), events: false });
    kept.mustBeSeen();
    await compareAll();
  });

  it('counts the beginnings of words as the table does, and those of markets that it hears of', async () => {
    const { clickhouse } = catalog;
    const words = wordsKept(clickhouse, log);
    try {
      const asked = ['b', 'bit', 'bitcoin', 'kxbtc', 'rain', '1', '10', 'absent', 'z'];
      const question = { id: '', words: asked, title: '' };
      const compare = async () => {
        const known = await eventually(() => words.beginningsOf(asked) ?? assert.fail('not read yet'));
        const stored = { clickhouse, words: { beginningsOf: () => undefined } };
        assert.deepEqual(known, await beginningsOf(stored, question, asking.signal));
      };
      await compare();
      const title = 'Bitcoin, bits and zebras';
      await catalog.recorded({ kind: 'market', ticker: 'Z-1', title });
      assert.deepEqual(words.beginningsOf(['zebras']), [{ n: 0, whole: false }]);
      words.heard(wordsOfThing({ id: 'Z-1', title, texts: [] }));
      assert.deepEqual(words.beginningsOf(['z', 'zebras']), [
        { n: 2, whole: true },
        { n: 1, whole: true },
      ]);
      await compare();
    } finally {
      words.stop();
    }
  });
});
