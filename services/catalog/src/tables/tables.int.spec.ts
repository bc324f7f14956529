import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ClickHouse, command, insertBytes, rows } from '@almanac/clickhouse';
import { type CatalogueFact, catalogRpc } from '@almanac/contracts';
import { z } from 'zod';
import { listMarkets, presentMarkets } from '../market/list-markets.query.js';
import { seriesText } from './series-text.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { vocabularyOf } from '../words/vocabulary.js';
import { anyMarket, markets } from './candidates.js';
import { allFiguresSql, inGroups } from './event-figures.js';
import { byPosition, type Position } from './position.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
});
after(() => catalog.stop());

const figureColumns =
  'event_ticker, series, markets_n, known_n, strikes_n, close_key, toString(newest_close_us), toString(oldest_close_us), toString(open_us)';

describe('the figures of an event', () => {
  const market = (ticker: string, event_ticker: string, more: object = {}): CatalogueFact => ({
    kind: 'market',
    ticker,
    series: 'S',
    event_ticker,
    ...more,
  });
  const figuresOf = (event: string): Promise<unknown[]> =>
    rows(catalog.clickhouse, {
      sql: 'SELECT series, markets_n, known_n, strikes_n, close_key, newest_close_us, open_us FROM event_figures FINAL WHERE event_ticker = {event:String}',
      params: { event },
    });
  /**
   * The stored figures, and figures computed from all markets. Events that lost all their markets are in the first
   * only.
   */
  const storedAndComputed = async (): Promise<[unknown[], unknown[]]> => {
    const { clickhouse } = catalog;
    await command(clickhouse, { sql: 'CREATE OR REPLACE TABLE computed AS event_figures' });
    await command(clickhouse, { sql: allFiguresSql({ from: 'markets', into: 'computed' }) });
    const all = (table: string): Promise<unknown[]> =>
      rows(clickhouse, {
        sql: `SELECT ${figureColumns} FROM ${table} FINAL WHERE markets_n > 0 ORDER BY event_ticker`,
      });
    return [await all('event_figures'), await all('computed')];
  };

  it('count its markets, from the earliest open to the latest close', async () => {
    await catalog.recorded(
      market('A-1', 'A', { open_us: 20, close_us: 30, floor_strike: '1.5', result: 'yes' }),
      market('A-2', 'A', { open_us: 10, close_us: 40, settlement_us: 41 }),
      market('A-3', 'A', { close_us: 35 }),
      market('LOOSE', ''),
    );
    const figures = { series: 'S', markets_n: 3, known_n: 2, strikes_n: 1, close_key: 40, newest_close_us: 40 };
    assert.deepEqual(await figuresOf('A'), [{ ...figures, open_us: 10 }]);
    assert.deepEqual(await figuresOf(''), []);
    await catalog.recorded(market('A-4', 'A', { venue_status: 'active' }), market('A-3', 'A', { result: 'no' }));
    const later = { ...figures, markets_n: 4, known_n: 3, close_key: Number.MAX_SAFE_INTEGER };
    assert.deepEqual(await figuresOf('A'), [{ ...later, open_us: 10 }]);
  });

  it('follow a market from one event to another, even when the first event has no market left', async () => {
    await catalog.recorded(market('B-1', 'B', { close_us: 50 }), market('B-2', 'C', { close_us: 60 }));
    await command(catalog.clickhouse, { sql: 'OPTIMIZE TABLE markets FINAL' });
    await catalog.recorded(market('B-1', 'C'));
    const zeros = { series: '', markets_n: 0, known_n: 0, strikes_n: 0, close_key: -1 };
    assert.deepEqual(await figuresOf('B'), [{ ...zeros, newest_close_us: null, open_us: null }]);
    const both = { ...zeros, series: 'S', markets_n: 2, close_key: 60, newest_close_us: 60, open_us: null };
    assert.deepEqual(await figuresOf('C'), [both]);
  });

  it('equal the stored markets when two processes write at once, markets move and batches repeat', async () => {
    const end = await catalog.another();
    const names = ['E', 'E1.5', `it's "q" \\ \t ['x',\\'y']`, '東京', '%41', 'E2', 'E3'];
    const event = (n: number): string => names[n % names.length] ?? '';
    let last = 0;
    for (let round = 0; round < 6; round += 1) {
      const facts = Array.from({ length: 120 }, (_, n) =>
        market(`M-${n % 60}`, event(n * 5 + round * (n % 3)), { close_us: 1_000 + ((n * 37 + round) % 91) }),
      );
      const calls = [0, 40, 80].map((at) =>
        catalog.call('ingest', catalogRpc.record, { facts: facts.slice(at, at + 40) }),
      );
      last = Math.max(last, ...(await Promise.all(calls)).map(({ last_seq }) => last_seq));
      if (round === 2) await catalog.restart();
    }
    await catalog.call('ingest', catalogRpc.awaitReadable, { seq: last });
    await end();
    const [stored, computed] = await storedAndComputed();
    assert.deepEqual(stored, computed);
    assert.equal(computed.length, 9);
  });

  it('are read in statements that fit into a request line', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(255, 'é'));
    const groups = [...inGroups(names, (name) => name)];
    assert.deepEqual(groups.flat(), names);
    for (const group of groups) assert.ok(encodeURIComponent(JSON.stringify(group)).length < 400_000);
    assert.deepEqual([...inGroups([], String)], []);
  });
});

const draw = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** They empty the table of markets, so they are last in the file. */
describe('verified candidates', () => {
  let clickhouse: ClickHouse;
  before(() => {
    clickhouse = catalog.clickhouse;
  });
  beforeEach(async () => {
    for (const table of ['markets', 'markets_by_close']) {
      await command(clickhouse, { sql: `TRUNCATE TABLE ${table}` });
      await command(clickhouse, { sql: `SYSTEM STOP MERGES ${table}` });
    }
  });

  const queryContext = { nowUs: 50, signal: new AbortController().signal };
  const names = ['red', 'green', 'blue', 'b', 'grün'];

  interface Row {
    readonly ticker: string;
    readonly series?: string;
    readonly category?: string;
    readonly venue_status?: string | null;
    readonly result?: string | null;
    readonly close_us?: number | null;
    readonly words?: string;
  }
  const columns = ['ticker', 'series', 'category', 'venue_status', 'result', 'close_us', 'words', 'seq'];

  /** Stores one batch of events. A ticker that is already stored keeps its older row. */
  const store = (found: readonly Row[], seq: number) => {
    const body = Buffer.from(found.map((row, index) => JSON.stringify({ ...row, seq: seq + index })).join('\n'));
    return insertBytes(clickhouse, { table: 'markets', columns, format: 'JSONEachRow', body });
  };

  const conditions = [
    '1',
    `category = 'a'`,
    'close_key > 50',
    '(close_key <= 50 AND NOT known)',
    '(close_key <= 50 AND known)',
    `hasAllTokens(words, ['red'])`,
    `(hasAnyTokens(words, ['blue', 'b']) AND close_key >= 10 AND close_key <= 60)`,
    `words LIKE concat('% ', 'g', '%')`,
    `(startsWith(lower(ticker), 'm-1') OR hasAllTokens(words, ['grün']))`,
    `series = 'S'`,
  ];

  const readWithFinal = async (condition: string, from: Position | null): Promise<Position[]> => {
    const found = await rows<{ ticker: string; close_key: number }>(
      clickhouse,
      { sql: `SELECT ticker, close_key FROM markets FINAL WHERE ${condition} ORDER BY close_key DESC, ticker` },
      z.object({ ticker: z.string(), close_key: z.int() }),
    );
    const all = found.map((row) => ({ key: row.close_key, id: row.ticker }));
    return all.filter((position) => from === null || byPosition(position, from) > 0);
  };

  it('equal the result of FINAL, whatever changed and nothing was merged', async () => {
    const random = draw(20261120);
    let seq = 1;
    for (let round = 0; round < 3; round += 1) {
      const states = Array.from({ length: 40 }, () => ({
        ticker: `M-${random(90)}`,
        category: ['a', 'b', ''][random(3)] ?? '',
        series: ['S', 'R'][random(2)] ?? '',
        venue_status: ['active', 'closed', null][random(3)] ?? null,
        result: random(2) === 0 ? null : 'yes',
        close_us: random(5) === 0 ? null : random(100),
        words: [...new Set([names[random(5)], names[random(5)]])].map((name) => ` ${name}`).join(''),
      }));
      const once = [...new Map(states.map((state) => [state.ticker, state])).values()];
      await store(once, seq);
      seq += 100;
      for (const condition of conditions) {
        const allRows = await readWithFinal(condition, null);
        const limit = 1 + random(30);
        const from = random(2) === 0 ? null : (allRows[random(allRows.length)] ?? null);
        const found = await markets(
          clickhouse,
          { condition: { sql: condition, params: {} }, columns: 'title', row: z.unknown() },
          { limit, queryContext, after: from },
        );
        const expected = (await readWithFinal(condition, from)).slice(0, limit);
        assert.deepEqual(
          found.map(({ position }) => position),
          expected,
          `${condition}, round ${round}, limit ${limit}`,
        );
        const isAny = await anyMarket(clickhouse, { sql: condition, params: {} }, queryContext);
        assert.equal(isAny, allRows.length > 0, `any ${condition}, round ${round}`);
      }
    }
    const [{ stored } = { stored: 0 }] = await rows(
      clickhouse,
      { sql: 'SELECT count() - uniqExact(ticker) AS stored FROM markets' },
      z.object({ stored: z.int() }),
    );
    assert.ok(stored > 25, 'former rows were there');
  });

  it('are found behind any number of older rows that match better', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({ ticker: `M-${String(n).padStart(4, '0')}`, close_us: 90 }));
    await store(many, 1);
    await store(
      many.map((market) => ({ ...market, close_us: 10 })),
      10_000,
    );
    const isLate = { sql: 'close_key > 50', params: {} };
    assert.equal(await anyMarket(clickhouse, isLate, queryContext), false, 'only older rows match');
    await store([{ ticker: 'LATE', close_us: 60 }], 20_000);
    assert.equal(await anyMarket(clickhouse, isLate, queryContext), true, 'behind older rows');
    const found = await markets(
      clickhouse,
      { condition: { sql: '1', params: {} }, columns: 'close_us', row: z.object({ close_us: z.int() }) },
      { limit: 3, queryContext },
    );
    assert.deepEqual(
      found.map(({ position, row }) => [position.id, row.close_us]),
      [
        ['LATE', 60],
        ['M-0000', 10],
        ['M-0001', 10],
      ],
    );
  });

  it('page through thousands of markets, each once, while others are added and closed', async () => {
    const count = 3_000;
    const batch = (from: number, length: number) =>
      Array.from({ length }, (_, n) => ({
        ticker: `P-${from + n}`,
        series: 'P',
        close_us: 1_000_000 + ((from + n) % 700),
      }));
    await store(batch(0, count), 1);
    const seen: string[] = [];
    const sources = {
      clickhouse,
      series: { states: new Map(), text: seriesText() },
      words: { prefixMatchesOf: () => undefined, current: () => undefined },
      wordsBySeries: { mayHave: () => true, mayHaveTogether: () => true },
      events: { current: async () => undefined },
      figures: { oldestCloseUs: () => undefined },
      vocabulary: vocabularyOf(() => [undefined]),
    };
    let cursor: string | null = null;
    let page = 0;
    do {
      const listInput = { series: 'P', limit: 100, days: 1, from_ts: 0, cursor };
      const match: Awaited<ReturnType<typeof listMarkets>> = await listMarkets(
        presentMarkets(sources, queryContext),
        listInput,
      );
      seen.push(...match.markets.map(({ ticker }) => ticker));
      cursor = match.next_cursor;
      if (page % 5 === 0) {
        // New markets anywhere in the order, and changes of old ones.
        await store(batch(count + page * 30, 150), 100_000 + page * 200);
        const again = batch(page * 150, 200).map((market) => ({ ...market, result: 'yes' }));
        await store(again, 500_000 + page * 200);
      }
      page += 1;
    } while (cursor !== null);
    const once = new Set(seen);
    assert.equal(once.size, seen.length, 'none came twice');
    const missing = Array.from({ length: count }, (_, n) => `P-${n}`).filter((ticker) => !once.has(ticker));
    assert.deepEqual(missing, []);
    assert.ok(page > 30);
  });
});
