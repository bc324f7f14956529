import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CoverageSpan, coverageOf, gapReasons, type MarketExtent } from './coverage.js';

const span = (start_us: number, end_us: number, more: Partial<CoverageSpan> = {}): CoverageSpan => ({
  layer: 'l2',
  start_us,
  end_us,
  tolerance_us: 0,
  end_reason: null,
  ...more,
});
const closed: MarketExtent = { openUs: 100, closeUs: 200, firstUs: null, lastUs: null, nowUs: 1_000 };
const live: MarketExtent = { ...closed, nowUs: 160 };
const shown = (spans: readonly CoverageSpan[], extent = closed) =>
  coverageOf(spans, extent).gaps.map(({ startUs, endUs, reason, missing }) => [startUs, endUs, reason, missing]);

describe('the gaps of a market', () => {
  it('are the times between open and close without a span, with the reason why the span before ended', () => {
    const spans = [span(110, 120, { end_reason: 'lost' }), span(130, 150), span(140, 180, { end_reason: 'ended' })];
    assert.deepEqual(shown(spans), [
      [100, 110, gapReasons.start, 'all'],
      [120, 130, 'lost', 'all'],
      [180, 200, 'ended', 'all'],
    ]);
    assert.deepEqual(shown([span(50, 150), span(150, 250)]), []);
  });

  it('heal when another recording covers them, whatever the order', () => {
    const damaged = [span(100, 120, { end_reason: 'lost' }), span(130, 200)];
    const complete = span(100, 200);
    assert.deepEqual(shown([...damaged, complete]), []);
    assert.deepEqual(shown([complete, ...damaged]), []);
    assert.deepEqual(shown([...damaged, span(115, 125, { end_reason: 'ended' })]), [[125, 130, 'ended', 'all']]);
  });

  it('are the whole life of a market without data, and nothing before it closes', () => {
    assert.deepEqual(shown([]), [[100, 200, gapReasons.nothing, 'all']]);
    assert.deepEqual(shown([], live), []);
    assert.deepEqual(shown([], { ...closed, closeUs: null }), []);
  });

  it('of a market without a span are the times before its first and after its last observation', () => {
    const observed = { ...closed, firstUs: 105, lastUs: 190 };
    assert.deepEqual(shown([], observed), [
      [100, 105, gapReasons.start, 'all'],
      [190, 200, gapReasons.end, 'all'],
    ]);
    assert.equal(coverageOf([], observed).coveredUs, null);
  });

  it('of a live market have no end while its recording is interrupted, and none while it continues', () => {
    assert.deepEqual(shown([span(100, 150, { end_reason: 'lost' })], live), [[150, null, 'lost', 'all']]);
    assert.deepEqual(shown([span(100, 150)], live), []);
  });

  it('are not longer than the tolerance of a recording at intervals', () => {
    const every = { layer: 'top', tolerance_us: 6 } as const;
    assert.deepEqual(shown([span(104, 150, every), span(156, 195, every)]), []);
    assert.deepEqual(shown([span(107, 150, every), span(157, 193, every)]), [
      [100, 107, gapReasons.start, 'all'],
      [150, 157, gapReasons.end, 'all'],
      [193, 200, gapReasons.end, 'all'],
    ]);
  });

  it('name the books alone where prices are known', () => {
    const books = [span(120, 140, { end_reason: 'lost' }), span(150, 170, { end_reason: 'ended' })];
    const prices = [span(100, 145, { layer: 'top', end_reason: 'broken' }), span(160, 200, { layer: 'top' })];
    assert.deepEqual(shown([...books, ...prices]), [
      [100, 120, gapReasons.start, 'books'],
      [140, 145, 'lost', 'books'],
      [145, 150, 'broken', 'all'],
      [170, 200, 'ended', 'books'],
    ]);
    const { coveredUs, booksCoveredUs, lifetimeUs } = coverageOf([...books, ...prices], closed);
    assert.deepEqual([coveredUs, booksCoveredUs, lifetimeUs], [95, 40, 100]);
  });

  it('together with the covered time are the whole life of a market, for random spans', () => {
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let run = 0; run < 5_000; run += 1) {
      const spans = Array.from({ length: 1 + random(6) }, () => {
        const start = 80 + random(140);
        return span(start, start + random(40), { end_reason: random(2) === 0 ? null : 'lost' });
      });
      const { gaps, coveredUs } = coverageOf(spans, closed);
      // A plain ledger: one flag for each unit of time.
      const isCovered = Array.from({ length: 100 }, (_, at) =>
        spans.some(({ start_us: start, end_us: end }) => start <= 100 + at && 100 + at + 1 <= end),
      );
      const inGap = isCovered.map((_, at) =>
        gaps.some(({ startUs, endUs }) => startUs <= 100 + at && 100 + at + 1 <= (endUs ?? Infinity)),
      );
      assert.deepEqual(
        inGap,
        isCovered.map((covered) => !covered),
        JSON.stringify(spans),
      );
      assert.equal(coveredUs, isCovered.filter(Boolean).length);
      assert.ok(gaps.every(({ startUs }, at) => at === 0 || startUs >= (gaps[at - 1]?.endUs ?? Infinity)));
    }
  });
});
