import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { DomainError, gapReasons } from '@almanac/contracts';
import { readiness } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import {
  callersOf,
  type Callers,
  type Observation,
  type RunningService,
  startService,
  startFixture,
  type TimeseriesFixture,
} from '../testing/fixture.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const closeUs = openUs + 900 * second;

/** Quotes every half second. From `lockedAt` on the outcome is locked. */
const quotes = (count: number, lockedAt = count): Observation[] =>
  Array.from({ length: count }, (_, index) => ({
    us: openUs + index * 500_000 + 17,
    bid: index === 0 ? '0' : index < lockedAt ? '0.5' : '0.98',
    ask: index < lockedAt ? '0.52' : '1',
    price: '65000.5',
  }));

describe('the preview of a running service', () => {
  let fixture: TimeseriesFixture;
  let services: RunningService[];
  let buses: Bus[];
  let callers: Callers;

  before(async () => {
    fixture = await startFixture();
    services = await Promise.all([startService(fixture), startService(fixture)]);
    buses = await Promise.all([fixture.busOf('gateway'), fixture.busOf('ingest')]);
    const [gateway, ingest] = buses;
    if (gateway === undefined || ingest === undefined) throw new Error('two connections were made');
    callers = callersOf(gateway, ingest);
    await fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all(buses.map((bus) => bus.close()));
    await fixture.stop();
  });

  const newMarket = async (rows: readonly Observation[], more: object = {}): Promise<string> => {
    const ticker = `KX-${randomUUID()}-T95999.99`;
    await fixture.market({ ticker, series: 'S', open_us: openUs, close_us: closeUs, ...more });
    if (rows.length > 0) await callers.store(ticker, rows);
    return ticker;
  };
  const ready = (ticker: string, matched: number) =>
    eventually(async () => {
      const preview = await callers.preview(ticker);
      assert.deepEqual([preview.body.pending, preview.body.matched], [false, matched]);
      return preview;
    });
  const prepared = async (): Promise<number> => {
    const counts = await Promise.all(services.map((service) => service.prepared()));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  it('is pending first, then ready and complete, then right again after new rows', async () => {
    const rows = quotes(1_000, 900);
    const ticker = await newMarket(rows);
    const first = await callers.preview(ticker);
    assert.deepEqual(
      [first.body.pending, first.body.cached, first.body.cache_source, first.body.matched, first.body.path],
      [true, false, null, 0, []],
    );
    assert.equal(first.meta.cacheable, false);
    const { body, meta } = await ready(ticker, 1_000);
    assert.deepEqual([body.cached, meta.cacheable, meta.version, body.style], [true, true, 2, 'rolling']);
    assert.ok(body.cache_source === 'redis' || body.cache_source === 'memory');
    assert.ok(body.path.length <= 300 && body.path.length > 150, `${body.path.length} points`);
    assert.deepEqual([body.snapshots, body.count], [body.path, body.path.length]);
    const stepUs = body.step_ms * 1_000;
    const lasts = rows.filter((row, at) => {
      const next = rows[at + 1];
      return next === undefined || Math.floor(next.us / stepUs) !== Math.floor(row.us / stepUs);
    });
    assert.deepEqual(
      body.path.map((row) => row.ts),
      lasts.map((row) => row.us / 1e6),
    );
    assert.deepEqual(
      body.sample.map((row) => row.ts),
      rows.slice(0, 20).map((row) => row.us / 1e6),
    );
    assert.deepEqual(
      body.tape.map((row) => row.ts),
      rows.slice(-20).map((row) => row.us / 1e6),
    );
    assert.deepEqual(body.coverage, {
      first_print_ts: (rows[0]?.us ?? 0) / 1e6,
      last_print_ts: (rows.at(-1)?.us ?? 0) / 1e6,
      has_l2: false,
      prints: 1_000,
      covered_s: null,
      covered_share: null,
      books_covered_s: null,
      gaps: [
        { start_ts: openUs / 1e6, end_ts: (rows[0]?.us ?? 0) / 1e6, reason: gapReasons.start, missing: 'all' },
        { start_ts: (rows.at(-1)?.us ?? 0) / 1e6, end_ts: closeUs / 1e6, reason: gapReasons.end, missing: 'all' },
      ],
      gaps_n: 2,
      gap_s: 400.5,
    });
    assert.deepEqual(body.useful, {
      start_ts: (rows[1]?.us ?? 0) / 1e6,
      end_ts: (rows[900]?.us ?? 0) / 1e6,
      reason: 'locked',
    });
    assert.deepEqual([body.window_s, body.end_ts - body.start_ts, body.clamped], [21_600, 21_600, false]);
    assert.deepEqual([body.chartable, body.schema, body.preview, body.layer], [true, 3, true, 'top']);

    await callers.store(ticker, [{ us: closeUs - 1, bid: '0.4', ask: '0.6' }]);
    const again = await ready(ticker, 1_001);
    assert.deepEqual([again.body.useful.reason, again.meta.version], ['closed', 3]);
    assert.equal(again.body.tape.at(-1)?.ts, (closeUs - 1) / 1e6);
  });

  it('is prepared once for concurrent requests at two processes', async () => {
    const ticker = await newMarket(quotes(400));
    const earlier = await prepared();
    const responses = await Promise.all(Array.from({ length: 100 }, () => callers.preview(ticker)));
    assert.ok(responses.some(({ body }) => body.pending));
    await ready(ticker, 400);
    await Promise.all(Array.from({ length: 20 }, () => ready(ticker, 400)));
    assert.equal(await prepared(), earlier + 1);
  });

  it('shows up to three books on every plan', async () => {
    const book = { yes: '[(0.5,10)]', no: '[]' };
    const rows = Array.from({ length: 50 }, (_, index) => ({
      us: openUs + index * second,
      book: index % 2 === 0 ? book : null,
    }));
    const ticker = await newMarket(rows);
    const { body } = await ready(ticker, 50);
    assert.deepEqual(
      body.l2_sample,
      [0, 24, 48].map((at) => ({ ts: openUs / 1e6 + at, orderbook_yes: [[0.5, 10]], orderbook_no: [] })),
    );
    assert.deepEqual([body.coverage.has_l2, body.layer, body.include_book, body.step_ms], [true, 'l2', false, 0]);
  });

  it('of a market without rows is ready too, and one without times is refused', async () => {
    const { body } = await ready(await newMarket([]), 0);
    assert.deepEqual([body.chartable, body.path, body.l2_sample, body.coverage.prints], [false, [], [], 0]);
    assert.deepEqual(body.useful, { start_ts: null, end_ts: closeUs / 1e6, reason: 'closed' });
    const bare = await newMarket([], { open_us: null, close_us: null });
    await assert.rejects(
      callers.preview(bare),
      (error) => error instanceof DomainError && error.code === 'invalid_window',
    );
    await assert.rejects(
      callers.preview('NO'),
      (error) => error instanceof DomainError && error.code === 'market_not_found',
    );
  });

  it('shows that a market is longer than its window', async () => {
    const ticker = await newMarket([], { open_us: closeUs - 7 * 3_600 * second });
    assert.equal((await ready(ticker, 0)).body.clamped, true);
  });

  it('comes from the memory of the process while Redis is unavailable, which is degraded', async () => {
    const ticker = await newMarket(quotes(10));
    await fixture.stopRedis();
    const { body } = await ready(ticker, 10);
    assert.equal(body.cache_source, 'memory');
    for (const service of services) {
      await eventually(async () => {
        const { checks, degraded } = await readiness(service.runtime.health);
        assert.match(degraded?.['redis'] ?? '', /Redis is unavailable/);
        assert.equal(checks['redis'], undefined);
      });
    }
  });
});
