import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isoOf, microsOf } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import type { Callers, Observation, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const hour = 3_600 * second;
const closeUs = 1_771_993_800 * second + 123_456;
const openUs = closeUs - 900 * second;
const timeOf = (ts: number | null): string => isoOf(microsOf(ts ?? Number.NaN));
const seconds = (us: number | undefined): number => (us ?? Number.NaN) / 1e6;

const random = seededRandom(31);

/** Rows at uneven times from `fromUs` to `toUs`, both inclusive. */
const unevenRows = (count: number, fromUs: number, toUs: number): Observation[] => {
  const times = new Set([fromUs, toUs]);
  while (times.size < count) times.add(fromUs + Math.floor(random() * (toUs - fromUs)));
  return [...times]
    .toSorted((a, b) => a - b)
    .map((us, index) => ({ us, seq: index, bid: '0.4', ask: '0.6', price: '65000.25' }));
};

const lastOfEachStep = (rows: readonly Observation[], stepUs: number): Observation[] =>
  rows.filter((row, at) => {
    const next = rows[at + 1];
    return next === undefined || Math.floor(next.us / stepUs) !== Math.floor(row.us / stepUs);
  });

describe('a preview answer', () => {
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let callers: Callers;
  before(async () => {
    tested = await startHarness();
    ({ fixture, callers } = tested);
    await fixture.series({ id: 'ROLLING', shape: 'rolling' });
    await fixture.series({ id: 'S', shape: 'ladder' });
  });
  after(() => tested.stop());

  const newMarket = async (rows: readonly Observation[], more: object = {}): Promise<string> => {
    const ticker = `KX-${randomUUID()}`;
    await fixture.market({ ticker, series: 'S', open_us: openUs, close_us: closeUs, ...more });
    if (rows.length > 0) await callers.store(ticker, rows);
    return ticker;
  };
  /** `prints` shows that the data version of the last batch has arrived. */
  const ready = (ticker: string, prints: number) =>
    eventually(async () => {
      const preview = await callers.preview(ticker);
      assert.deepEqual([preview.body.pending, preview.body.coverage?.prints], [false, prints]);
      return preview;
    });
  const previewOf = async (rows: readonly Observation[], more: object = {}) =>
    (await ready(await newMarket(rows, more), rows.length)).body;

  it('of a long market has at most 300 points of its window, its first and last rows, and the whole coverage', async () => {
    const firstUs = closeUs - 8 * hour;
    const rows = unevenRows(4_000, firstUs, closeUs);
    const body = await previewOf(rows, { open_us: firstUs });
    const inside = rows.filter(({ us }) => us >= closeUs + 1 - 6 * hour);
    assert.ok(inside.length < rows.length);
    assert.deepEqual(
      [body.start_ts, body.end_ts, body.window_s, body.clamped],
      [seconds(closeUs + 1 - 6 * hour), seconds(closeUs + 1), 21_600, true],
    );
    assert.deepEqual([body.matched, body.count, body.path.length], [inside.length, body.path.length, body.count]);
    assert.ok(body.path.length <= 300 && body.path.length > 150, `${body.path.length} points`);
    assert.ok(body.step_ms > 0 && body.step_ms % 1_000 === 0, String(body.step_ms));
    const path = lastOfEachStep(inside, body.step_ms * 1_000).map(({ us }) => seconds(us));
    assert.deepEqual(
      body.path.map(({ ts }) => ts),
      path,
    );
    assert.deepEqual(body.snapshots, body.path);
    assert.deepEqual(
      body.sample.map(({ ts }) => ts),
      inside.slice(0, 20).map(({ us }) => seconds(us)),
    );
    assert.deepEqual(
      body.tape.map(({ ts }) => ts),
      inside.slice(-20).map(({ us }) => seconds(us)),
    );
    assert.deepEqual(body.coverage, {
      first_print_ts: seconds(firstUs),
      last_print_ts: seconds(closeUs),
      has_l2: false,
      prints: 4_000,
      covered_s: null,
      covered_share: null,
      books_covered_s: null,
      gaps: [],
      spans: [],
      spans_n: 0,
      gaps_n: 0,
      gap_s: 0,
    });
    assert.deepEqual(body.useful, { start_ts: seconds(firstUs), end_ts: seconds(closeUs), reason: 'closed' });
  });

  it('of a cut window has the notice of a cut window of snapshots, pending and ready', async () => {
    const firstUs = closeUs - 8 * hour;
    const rows = unevenRows(100, firstUs, closeUs);
    const ticker = await newMarket(rows, { open_us: firstUs });
    const first = await callers.preview(ticker);
    const preview = await ready(ticker, rows.length);
    for (const { body, meta } of [first, preview]) {
      assert.equal(body.clamped, true);
      const detail = `The window was cut: it covers ${timeOf(body.start_ts)} to ${timeOf(body.end_ts)}. To read the rows before it, request snapshots in windows of at most 6 hours.`;
      assert.deepEqual(meta.notices, [{ code: 'window_clamped', detail, loc: null, nearest: null }]);
    }
    const bounds = { start_ts: seconds(firstUs), end_ts: seconds(closeUs) };
    const snapshots = await callers.snapshots({ ticker, ...bounds });
    const [start] = String(snapshots.meta.notices?.[0]?.detail).split(' covers ');
    assert.equal(start, 'The window was cut: it');
    const whole = await ready(await newMarket(unevenRows(10, openUs, closeUs)), 10);
    assert.deepEqual([whole.body.clamped, whole.meta.notices], [false, undefined]);
  });

  it('of few rows has each of them, and a chart from two rows on', async () => {
    const rows = unevenRows(2, openUs, closeUs - second);
    const secondPreview = await previewOf(rows);
    assert.deepEqual(
      [secondPreview.step_ms, secondPreview.count, secondPreview.chartable, secondPreview.path.length],
      [0, 2, true, 2],
    );
    assert.deepEqual(
      [secondPreview.sample, secondPreview.tape, secondPreview.snapshots],
      [secondPreview.path, secondPreview.path, secondPreview.path],
    );
    assert.deepEqual(secondPreview.path[0], {
      ts: seconds(openUs),
      venue_ts: null,
      seq: 0,
      yes_best_bid: 0.4,
      yes_best_ask: 0.6,
      coin_price: 65_000.25,
    });
    const one = await previewOf(rows.slice(0, 1));
    assert.deepEqual([one.count, one.chartable], [1, false]);
    assert.equal((await previewOf(unevenRows(300, openUs, closeUs))).step_ms, 0);
    assert.notEqual((await previewOf(unevenRows(301, openUs, closeUs))).step_ms, 0);
  });

  it('has a useful range from the first two-sided quote until the mid stays at 0.98 or 0.02', async () => {
    const quotes: [bid: string | null, ask: string | null][] = [
      ['0', '0.5'],
      ['0.5', '1'],
      [null, '0.5'],
      ['0.5', null],
      ['0.45', '0.55'],
      ['0.97', '0.99'],
      ['0.97', '0.98'],
      ['0.97', '0.99'],
      ['0.99', null],
      ['1', '1'],
    ];
    const at = (index: number): number => openUs + index * second;
    const rowsOf = (all: typeof quotes): Observation[] => all.map(([bid, ask], index) => ({ us: at(index), bid, ask }));
    assert.deepEqual((await previewOf(rowsOf(quotes))).useful, {
      start_ts: seconds(at(4)),
      end_ts: seconds(at(7)),
      reason: 'locked',
    });
    const down = quotes.map(([bid, ask], index): [typeof bid, typeof ask] =>
      index < 5 ? [bid, ask] : index === 6 ? ['0.02', '0.03'] : ['0.01', '0.03'],
    );
    assert.equal((await previewOf(rowsOf(down))).useful.end_ts, seconds(at(7)));
    const open = [...quotes, ['0.9', '0.95'] as [string, string]];
    assert.deepEqual((await previewOf(rowsOf(open))).useful, {
      start_ts: seconds(at(4)),
      end_ts: seconds(closeUs),
      reason: 'closed',
    });
    // An observation after the close is no quote any more.
    const later = [...rowsOf(quotes), { us: closeUs + second, bid: '0', ask: '1' }];
    assert.equal((await previewOf(later)).useful.reason, 'locked');
  });

  it('of a live market ends its window now and its useful range at the last row', async () => {
    const nowUs = unixMicros();
    const rows = unevenRows(50, nowUs - 60 * second, nowUs - second);
    const body = await previewOf(rows, { open_us: nowUs - 90 * second, close_us: nowUs + hour });
    assert.ok(body.end_ts * 1e6 >= nowUs, 'it ends at the time of the request');
    assert.deepEqual([body.window_s, body.clamped, body.market?.status], [21_600, false, 'live']);
    assert.deepEqual(body.useful, {
      start_ts: seconds(rows[0]?.us),
      end_ts: seconds(rows.at(-1)?.us),
      reason: 'live',
    });
  });

  it('has the style of its series and the plan of the caller', async () => {
    const rolling = await newMarket([], { series: 'ROLLING' });
    assert.equal((await ready(rolling, 0)).body.style, 'rolling');
    assert.equal((await previewOf([])).style, 'event');
    assert.equal((await previewOf([], { series: null })).style, 'event');
    assert.equal((await callers.preview(rolling, { plan: 'pro' })).body.key_mode, 'pro');
  });

  it('that is pending has every field of a ready one, with zeros and nulls', async () => {
    const ticker = await newMarket(unevenRows(5, openUs, closeUs - second));
    const { body: pending, meta } = await eventually(async () => {
      const other = await newMarket(unevenRows(5, openUs, closeUs - second));
      const preview = await callers.preview(other);
      assert.equal(preview.body.pending, true);
      return preview;
    });
    const { body } = await ready(ticker, 5);
    assert.deepEqual(Object.keys(pending).toSorted(), Object.keys(body).toSorted());
    assert.deepEqual(
      [pending.matched, pending.count, pending.step_ms, pending.cached, pending.cache_source, pending.chartable],
      [0, 0, 0, false, null, false],
    );
    for (const name of ['snapshots', 'path', 'sample', 'tape', 'l2_sample'] as const) {
      assert.deepEqual(pending[name], []);
    }
    assert.equal(pending.coverage, null);
    assert.deepEqual(pending.useful, { start_ts: null, end_ts: null, reason: null });
    assert.deepEqual([pending.schema, pending.preview, pending.include_book], [3, true, false]);
    assert.deepEqual([pending.window_s, pending.market?.status], [21_600, 'closed']);
    assert.equal(meta.cacheable, false);
  });
});
