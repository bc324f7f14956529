import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { rows as readRows } from '@almanac/clickhouse';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { eventually, seededRandom, testNumber } from '@almanac/testing';
import type { Callers, Observation, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const closeUs = openUs + 900 * second;

const random = seededRandom(testNumber('seed', 23));

/** Rows at random times of a market, often several in one step. */
const randomRows = (count: number, spanUs: number): Observation[] => {
  const times = new Set<number>();
  while (times.size < count) times.add(openUs + Math.floor(random() * spanUs));
  return [...times]
    .toSorted((a, b) => a - b)
    .map((us, index) => ({
      us,
      venueUs: index % 3 === 0 ? null : us - 1_234,
      seq: index % 5 === 0 ? null : index,
      bid: index % 7 === 0 ? null : (Math.floor(random() * 100) / 100).toString(),
      ask: (Math.floor(random() * 1_000) / 1_000).toString(),
      price: (60_000 + random() * 1e4).toFixed(3),
    }));
};

const numberOrNull = (text: string | number | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

const shown = (row: Observation) => ({
  ts: row.us / 1e6,
  venue_ts: row.venueUs === null || row.venueUs === undefined ? null : row.venueUs / 1e6,
  seq: numberOrNull(row.seq),
  yes_best_bid: numberOrNull(row.bid),
  yes_best_ask: numberOrNull(row.ask),
  coin_price: numberOrNull(row.price),
});

/** The last row of each step, computed independently of the service. */
const lastOfSteps = (rows: readonly Observation[], stepMs: number): Observation[] => {
  if (stepMs === 0) return [...rows];
  const expectedRows = new Map<number, Observation>();
  for (const row of rows) expectedRows.set(Math.floor(row.us / (stepMs * 1_000)), row);
  return [...expectedRows.values()];
};

describe('snapshots of a running service', () => {
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let callers: Callers;
  before(async () => {
    tested = await startHarness();
    ({ fixture, callers } = tested);
    await fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  const newMarket = async (rows: readonly Observation[], more: object = {}): Promise<string> => {
    const ticker = `KX-${randomUUID()}-T95999.99`;
    await fixture.market({
      ticker,
      series: 'S',
      event_ticker: `${ticker}-E`,
      open_us: openUs,
      close_us: closeUs,
      ...more,
    });
    if (rows.length > 0) await callers.store(ticker, rows);
    return ticker;
  };
  const refusal = (code: string, sentence: RegExp) => (error: unknown) => {
    assert.ok(error instanceof DomainError, String(error));
    assert.equal(error.code, code);
    assert.match(error.detail, sentence);
    return true;
  };

  it('are the last stored observation of each step, for random rows, steps and windows', async () => {
    const rows = randomRows(800, 900 * second);
    const ticker = await newMarket(rows);
    for (let run = 0; run < 16; run += 1) {
      const stepMs = [0, 1, 7, 100, 333, 1_000, 5_000, 60_000][run % 8] ?? 0;
      const startUs = openUs + Math.floor(random() * 600) * second + Math.floor(random() * second);
      const endUs = startUs + 1 + Math.floor(random() * 400 * second);
      const inside = rows.filter(({ us }) => us >= startUs && us < endUs);
      const expected = lastOfSteps(inside, stepMs);
      const { body } = await callers.snapshots({
        ticker,
        start_ts: startUs / 1e6,
        end_ts: endUs / 1e6,
        step_ms: stepMs,
        limit: 5_000,
      });
      assert.deepEqual(body.snapshots, expected.map(shown));
      assert.deepEqual(
        [body.matched, body.count, body.has_more, body.next_start_ts],
        [inside.length, expected.length, false, null],
      );
    }
  });

  it('continue page by page without a repeat or a hole, whatever step and limit', async () => {
    const rows = randomRows(500, 900 * second);
    const ticker = await newMarket(rows);
    for (const [stepMs, limit] of [
      [0, 97],
      [0, 500],
      [250, 100],
      [1_000, 64],
      [60_000, 1],
    ] as const) {
      const found: unknown[] = [];
      let start: number | null = openUs / 1e6;
      for (let page = 0; start !== null && page < 100; page += 1) {
        const request = { ticker, start_ts: start, end_ts: closeUs / 1e6, step_ms: stepMs, limit };
        const { body } = await callers.snapshots(request);
        assert.equal(body.has_more, body.next_start_ts !== null);
        found.push(...body.snapshots);
        start = body.next_start_ts;
      }
      assert.deepEqual(found, lastOfSteps(rows, stepMs).map(shown), `step ${stepMs}, limit ${limit}`);
    }
  });

  it('of a cut window continue where it was cut, and return each step once', async () => {
    const rows = randomRows(1_500, 8 * 3_600 * second);
    const ticker = await newMarket(rows, { close_us: openUs + 8 * 3_600 * second });
    const found: unknown[] = [];
    const end = openUs / 1e6 + 8 * 3_600;
    const request = { ticker, end_ts: end, step_ms: 60_000, limit: 5_000 };
    const first = await callers.snapshots({ ...request, start_ts: openUs / 1e6 + 0.5 });
    assert.deepEqual([first.body.clamped, first.body.has_more], [true, true]);
    assert.match(String(first.meta.notices?.[0]?.detail), /send next_start_ts as start_ts, or send windows of at most/);
    assert.equal(first.body.next_start_ts, first.body.end_ts);
    found.push(...first.body.snapshots);
    const rest = await callers.snapshots({ ...request, start_ts: first.body.next_start_ts });
    assert.deepEqual([rest.body.clamped, rest.body.next_start_ts, rest.meta.notices], [false, null, undefined]);
    found.push(...rest.body.snapshots);
    const inside = rows.filter(({ us }) => us >= openUs + second / 2);
    assert.deepEqual(found, lastOfSteps(inside, 60_000).map(shown));
  });

  it('have the exact numbers that were stored', async () => {
    const us = 1771993365058297;
    const ticker = await newMarket([{ us, bid: '0.51', ask: '0.86', price: '65541.895', seq: 7 }]);
    const { text, body, meta } = await callers.snapshots({ ticker });
    const row =
      '[{"ts":1771993365.058297,"venue_ts":null,"seq":7,"yes_best_bid":0.51,"yes_best_ask":0.86,"coin_price":65541.895}]';
    assert.ok(text.includes(`"snapshots":${row}`), text);
    assert.equal(body.market?.shape, 'rolling');
    assert.deepEqual([body.key_mode, body.layer, body.notice, body.include_book], ['free', 'top', null, false]);
    assert.deepEqual(meta, { ticker, version: 2, cacheable: true });
  });

  it('include late rows right after they were stored, and a batch stored twice changes nothing', async () => {
    const rows = randomRows(50, 900 * second);
    const ticker = await newMarket(rows.slice(0, 40));
    const request = { ticker, start_ts: openUs / 1e6, end_ts: closeUs / 1e6, step_ms: 0 };
    assert.equal((await callers.snapshots(request)).body.count, 40);
    await callers.store(ticker, rows.slice(40));
    const once = await callers.snapshots(request);
    assert.deepEqual(once.body.snapshots, rows.map(shown));
    await callers.store(ticker, rows);
    assert.deepEqual((await callers.snapshots(request)).body, once.body);
  });

  it('use the row stored last of two rows of one microsecond', async () => {
    const ticker = await newMarket([{ us: openUs, bid: '0.1' }]);
    await callers.store(ticker, [{ us: openUs, bid: '0.2' }]);
    const { body } = await callers.snapshots({ ticker, step_ms: 0 });
    assert.deepEqual([body.matched, body.snapshots.map((row) => row.yes_best_bid)], [1, [0.2]]);
  });

  it('include books only for plans and unlocked events, and explain their absence', async () => {
    const book = { yes: '[(0.5,10),(0.49,2.5)]', no: '[]' };
    const ticker = await newMarket([
      { us: openUs, bid: '0.5', book },
      { us: openUs + second, bid: '0.6', book: null },
    ]);
    const request = { ticker, include_book: true, step_ms: 0, limit: 1 };
    const refused = await callers.snapshots(request);
    assert.deepEqual([refused.body.include_book, refused.body.layer, refused.meta.cacheable], [false, 'top', false]);
    assert.match(refused.body.notice ?? '', new RegExp(`Buy the event ${ticker}-E, or upgrade`));
    assert.ok(!refused.text.includes('orderbook'));

    const granted = await callers.snapshots({ ...request, limit: 2 }, { plan: 'full_book' });
    assert.deepEqual(
      granted.body.snapshots.map((row) => [row.orderbook_yes, row.orderbook_no]),
      [
        [
          [
            [0.5, 10],
            [0.49, 2.5],
          ],
          [],
        ],
        [null, null],
      ],
    );
    assert.deepEqual(
      [granted.body.include_book, granted.body.layer, granted.body.notice, granted.meta.cacheable],
      [true, 'l2', null, true],
    );
    await fixture.unlock('a1', `${ticker}-E`);
    const unlocked = await callers.snapshots(request);
    assert.deepEqual([unlocked.body.include_book, unlocked.meta.cacheable], [true, false]);
    assert.deepEqual([unlocked.body.matched, unlocked.body.count, unlocked.body.has_more], [2, 1, true]);
    assert.equal((await callers.snapshots(request, { account: 'a2' })).body.include_book, false);
    const down = await callers.snapshots({ ...request, step_ms: 60_000 }, { plan: 'internal' });
    assert.deepEqual([down.body.matched, down.body.count, down.body.layer], [2, 1, 'top']);
  });

  it('of a live market depend on now without bounds, and show when the market closes', async () => {
    const close = (Math.floor(Date.now() / 1_000) + 3_600) * second;
    const ticker = await newMarket([], { open_us: close - 7_200 * second, close_us: close });
    const response = await callers.snapshots({ ticker });
    assert.deepEqual(response.body.snapshots, []);
    assert.deepEqual([response.meta.cacheable, response.meta.freshUntilUs], [false, close]);
    const bounded = await callers.snapshots({ ticker, start_ts: 1, end_ts: 2 });
    assert.deepEqual([bounded.meta.cacheable, bounded.body.matched], [true, 0]);
  });

  it('are refused for unknown markets and invalid windows', async () => {
    const ticker = await newMarket([]);
    await assert.rejects(
      callers.snapshots({ ticker: 'NOWHERE' }),
      refusal('market_not_found', /^The archive has no market NOWHERE\. /),
    );
    await assert.rejects(
      callers.snapshots({ ticker: '*'.repeat(4_000) }),
      refusal('market_not_found', / has no market \*{80}…/),
    );
    await assert.rejects(callers.snapshots({ ticker: 'a.>' }), refusal('market_not_found', /a\.>/));
    await assert.rejects(callers.snapshots({ ticker, start_ts: 2, end_ts: 1 }), refusal('invalid_window', /earlier/));
    await assert.rejects(callers.snapshots({ ticker, end_ts: 1.8e12 }), refusal('invalid_window', /milliseconds/));
    for (const window of [{ start_ts: 2, end_ts: 1 }, { start_ts: -1 }, { end_ts: 1.8e12 }])
      await assert.rejects(callers.snapshots({ ticker: 'NOWHERE', ...window }), refusal('invalid_window', /_ts must/));
    const bare = await newMarket([], { open_us: null, close_us: null });
    await assert.rejects(callers.snapshots({ ticker: bare }), refusal('invalid_window', /no open time/));
  });

  it('are not stored from a batch that contradicts its head', async () => {
    const ticker = await newMarket([{ us: openUs }]);
    const good = `${ticker}\tS\t1771992901.5\t\\N\t\\N\t0.5\t0.6\t1\n`;
    const send = (body: string, head: object = {}): Promise<unknown> =>
      callers.importer.call(timeseriesRpc.store, {
        input: { markets: [{ ticker, rows: body.split('\n').length - 1, min_us: 1, max_us: 2, ...head }] },
        context: { requestId: 'test' },
        body: Buffer.from(body),
      });
    const invalid = (sentence: RegExp) => refusal('invalid_input', sentence);
    for (const bad of [
      good.replace('0.5', 'half'),
      good.replace('\t1\n', '\n'),
      good.replace('\t1\n', '\t1\t2\n'),
      good.replace('1771992901.5', 'yesterday'),
      good.replace('0.6', '123456789.5'),
    ])
      await assert.rejects(send(good + bad), invalid(/do not fit their columns.*Nothing was stored/), bad);
    await assert.rejects(send(good + good, { rows: 3 }), invalid(/2 rows.*3/));
    await assert.rejects(send('', { rows: 1 }), invalid(/0 rows/));
    await assert.rejects(send(good, { ticker: '.'.repeat(90) }), invalid(/too long/));
    const count = { sql: 'SELECT count() AS n FROM snapshots WHERE ticker = {ticker:String}', params: { ticker } };
    assert.deepEqual(await readRows(fixture.operator, count), [{ n: 1 }]);
    await send(good);
    assert.deepEqual(await readRows(fixture.operator, count), [{ n: 2 }]);
  });

  it('follow changes of the catalogue', async () => {
    const ticker = await newMarket([{ us: openUs }]);
    assert.equal((await callers.snapshots({ ticker })).body.market?.result, null);
    await fixture.market({ ticker, series: 'S', close_us: closeUs, result: 'yes' });
    await eventually(async () => {
      const { body, meta } = await callers.snapshots({ ticker });
      assert.deepEqual([body.market?.result, body.market?.status, meta.version], ['yes', 'finalized', 3]);
    });
  });

  it('as of a time follow what the catalogue learns later about that time', async () => {
    const known = (values: Record<string, string>) => ({
      history: [{ known_us: openUs, basis: 'venue' as const, values }],
    });
    const times = { open_us: String(openUs), close_us: String(closeUs) };
    const ticker = await newMarket([], { close_us: null, ...known({ open_us: times.open_us }) });
    const endOf = async () => (await callers.snapshots({ ticker, as_of: openUs / second + 2_000 })).body.end_ts;
    // Of a market without a close, a window begins when it opens.
    assert.equal(await endOf(), openUs / second + 6 * 3_600);
    await fixture.market({ ticker, open_us: openUs, close_us: closeUs, ...known(times) });
    await eventually(async () => assert.equal(await endOf(), (closeUs + 1) / second));
  });
});
