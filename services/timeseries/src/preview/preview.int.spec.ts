import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { DomainError, gapReasons, type recordedSpan, timeseriesRpc } from '@almanac/contracts';
import { readiness } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import type { z } from 'zod';
import type { Observation } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

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

let tested: TimeseriesHarness;
before(async () => {
  tested = await startHarness({ processes: 2 });
  await tested.fixture.series({ id: 'S', shape: 'rolling' });
});
after(() => tested.stop());

const bothSides = { yes: '[(0.5,10)]', no: '[(0.48,5)]' };

type GivenSpan = Omit<z.input<typeof recordedSpan>, 'ticker' | 'layer'>;

describe('the coverage of a market', () => {
  const aMarket = async (): Promise<string> => {
    const ticker = `GAPS-${randomUUID()}`;
    await tested.fixture.market({ ticker, open_us: openUs, close_us: openUs + 900 * second });
    await tested.callers.store(
      ticker,
      [10, 20, 30, 40].map((at) => ({ us: openUs + at * second, bid: '0.5', ask: '0.52', book: bothSides })),
    );
    return ticker;
  };
  const storeSpans = (ticker: string, spans: readonly GivenSpan[], layer: 'top' | 'l2' = 'l2') => {
    const input = { markets: [], spans: spans.map((span) => ({ ticker, layer, ...span })) };
    return tested.callers.importer.call(timeseriesRpc.store, { input, context: { requestId: 'test' } });
  };
  const from = (start: number, end: number, end_reason: string | null = null): GivenSpan => ({
    start_us: openUs + start * second,
    end_us: openUs + end * second,
    end_reason,
  });
  const coverageOf = async (ticker: string) => {
    const { body } = await tested.callers.preview(ticker);
    return body.pending ? null : body.coverage;
  };
  const at = (seconds: number): number => openUs / second + seconds;

  const gapsOf = async (ticker: string) =>
    (await coverageOf(ticker))?.gaps.map((gap) => [
      gap.start_ts - at(0),
      (gap.end_ts ?? NaN) - at(0),
      gap.reason,
      gap.missing,
    ]);
  const versionOf = async (ticker: string) => (await tested.callers.preview(ticker)).meta?.version;

  it('has the times between its spans as gaps, and storing them again changes nothing', async () => {
    const ticker = await aMarket();
    const spans = [from(0, 20, 'lost'), from(22.75, 900)];
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await storeSpans(ticker, spans), { rows: 0 });
      await eventually(async () => {
        const coverage = await coverageOf(ticker);
        assert.deepEqual(coverage, {
          first_print_ts: at(10),
          last_print_ts: at(40),
          has_l2: true,
          prints: 4,
          covered_s: 897.25,
          covered_share: 0.996944,
          books_covered_s: 897.25,
          gaps: [{ start_ts: at(20), end_ts: at(22.75), reason: 'lost', missing: 'all' }],
          spans: spans.map(({ start_us, end_us }) => ({
            start_ts: start_us / second,
            end_ts: end_us / second,
            layer: 'l2',
            basis: null,
            clock: null,
          })),
          spans_n: 2,
          gaps_n: 1,
          gap_s: 2.75,
        });
      });
    }
  });

  it('has the times before and after its recording as gaps', async () => {
    const ticker = await aMarket();
    await eventually(async () =>
      assert.deepEqual(await gapsOf(ticker), [
        [0, 10, gapReasons.start, 'all'],
        [40, 900, gapReasons.end, 'all'],
      ]),
    );
    await eventually(async () => assert.equal((await coverageOf(ticker))?.covered_s, null));
    await storeSpans(ticker, [from(5, 600, 'the recording ended')]);
    await eventually(async () =>
      assert.deepEqual(await gapsOf(ticker), [
        [0, 5, gapReasons.start, 'all'],
        [600, 900, 'the recording ended', 'all'],
      ]),
    );
  });

  it('heals when the missing part is stored, in the ledger and in the data version', async () => {
    const ticker = await aMarket();
    await storeSpans(ticker, [from(0, 20, 'lost'), from(50, 900)]);
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), [[20, 50, 'lost', 'all']]));
    const damagedVersion = await versionOf(ticker);
    // The span of the whole recording has the same start.
    await storeSpans(ticker, [from(0, 900)]);
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), []));
    assert.notEqual(await versionOf(ticker), damagedVersion);
    const healedVersion = await versionOf(ticker);
    await storeSpans(ticker, [from(0, 20, 'lost')]);
    await eventually(async () => assert.notEqual(await versionOf(ticker), healedVersion));
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), []));
  });

  it('tells a gap in the books from one in everything', async () => {
    const ticker = await aMarket();
    await storeSpans(ticker, [from(0, 900)], 'top');
    await storeSpans(ticker, [from(0, 300, 'lost'), from(600, 900)]);
    await eventually(async () => {
      const coverage = await coverageOf(ticker);
      assert.deepEqual(await gapsOf(ticker), [[300, 600, 'lost', 'books']]);
      assert.deepEqual([coverage?.covered_s, coverage?.books_covered_s], [900, 600]);
    });
  });

  it('refuses spans of an invalid ticker', async () => {
    await assert.rejects(storeSpans('x'.repeat(300), [from(0, 1)]), { code: 'invalid_input' });
  });
});

describe('the preview of a running service', () => {
  const newMarket = async (rows: readonly Observation[], more: object = {}): Promise<string> => {
    const ticker = `KX-${randomUUID()}-T95999.99`;
    await tested.fixture.market({ ticker, series: 'S', open_us: openUs, close_us: closeUs, ...more });
    if (rows.length > 0) await tested.callers.store(ticker, rows);
    return ticker;
  };
  const ready = (ticker: string, matched: number) =>
    eventually(async () => {
      const preview = await tested.callers.preview(ticker);
      assert.deepEqual([preview.body.pending, preview.body.matched], [false, matched]);
      return preview;
    });
  const prepared = async (): Promise<number> => {
    const counts = await Promise.all(tested.services.map((service) => service.prepared()));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  it('is pending first, then ready and complete, then right again after new rows', async () => {
    const rows = quotes(1_000, 900);
    const ticker = await newMarket(rows);
    const first = await tested.callers.preview(ticker);
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
      spans: [],
      spans_n: 0,
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

    await tested.callers.store(ticker, [{ us: closeUs - 1, bid: '0.4', ask: '0.6' }]);
    const again = await ready(ticker, 1_001);
    assert.deepEqual([again.body.useful.reason, again.meta.version], ['closed', 3]);
    assert.equal(again.body.tape.at(-1)?.ts, (closeUs - 1) / 1e6);
  });

  it('is prepared once for concurrent requests at two processes', async () => {
    const ticker = await newMarket(quotes(400));
    const earlier = await prepared();
    const responses = await Promise.all(Array.from({ length: 100 }, () => tested.callers.preview(ticker)));
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
    assert.deepEqual([body.coverage?.has_l2, body.layer, body.include_book, body.step_ms], [true, 'l2', false, 0]);
  });

  it('of a market without rows is ready too, and one without times is refused', async () => {
    const { body } = await ready(await newMarket([]), 0);
    assert.deepEqual([body.chartable, body.path, body.l2_sample, body.coverage?.prints], [false, [], [], 0]);
    assert.deepEqual(body.useful, { start_ts: null, end_ts: closeUs / 1e6, reason: 'closed' });
    const bare = await newMarket([], { open_us: null, close_us: null });
    await assert.rejects(
      tested.callers.preview(bare),
      (error) => error instanceof DomainError && error.code === 'invalid_window',
    );
    await assert.rejects(
      tested.callers.preview('NO'),
      (error) => error instanceof DomainError && error.code === 'market_not_found',
    );
  });

  it('shows that a market is longer than its window', async () => {
    const ticker = await newMarket([], { open_us: closeUs - 7 * 3_600 * second });
    assert.equal((await ready(ticker, 0)).body.clamped, true);
  });

  // Last in the file, since Redis does not restart.
  it('comes from the memory of the process while Redis is unavailable, which is degraded', async () => {
    const ticker = await newMarket(quotes(10));
    await tested.fixture.stopRedis();
    const { body } = await ready(ticker, 10);
    assert.equal(body.cache_source, 'memory');
    for (const service of tested.services) {
      await eventually(async () => {
        const { checks, degraded } = await readiness(service.runtime.health);
        assert.match(degraded?.['redis'] ?? '', /Redis is unavailable/);
        assert.equal(checks['redis'], undefined);
      });
    }
  });
});
