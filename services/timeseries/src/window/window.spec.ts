import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import {
  type Bounds,
  checkedBounds,
  type MarketTimes,
  nextStartUs,
  previewWindowUsMax,
  type Window,
  wholeWindowOf,
  windowOf as windowOfChecked,
  windowUsMax,
} from './window.js';

const second = 1_000_000;
const closeUs = 1_771_993_800 * second;
const settled: MarketTimes = {
  openUs: closeUs - 900 * second,
  closeUs,
  lastUs: closeUs - 3 * second,
  live: false,
  moves: true,
  nowUs: closeUs + 86_400 * second,
};
const windowOf = (bounds: Bounds, times: MarketTimes): Window => windowOfChecked(checkedBounds(bounds), times);
const defaultBounds = { stepMs: 1_000, preview: false };
const window = (startUs: number, endUs: number, more: Partial<Window> = {}): Window => ({
  startUs,
  endUs,
  clamped: false,
  goesOn: false,
  dependsOnNow: false,
  ...more,
});

describe('the window of a query without bounds', () => {
  it('is the six hours that end just after the close', () => {
    assert.deepEqual(windowOf(defaultBounds, settled), window(closeUs + 1 - windowUsMax, closeUs + 1));
  });

  it('ends just after the last observation when that is later than the close', () => {
    const lastUs = closeUs + 7;
    assert.equal(windowOf(defaultBounds, { ...settled, lastUs }).endUs, lastUs + 1);
    assert.equal(windowOf(defaultBounds, { ...settled, closeUs: null, lastUs }).endUs, lastUs + 1);
  });

  it('ends now while the market is live, and depends on now', () => {
    const nowUs = closeUs - 60 * second;
    const live = { ...settled, lastUs: nowUs - second, live: true, nowUs };
    assert.deepEqual(windowOf(defaultBounds, live), window(nowUs - windowUsMax, nowUs, { dependsOnNow: true }));
  });

  it('is the last 15 minutes for preview=true', () => {
    const short = windowOf({ ...defaultBounds, preview: true }, settled);
    assert.deepEqual(short, window(closeUs + 1 - previewWindowUsMax, closeUs + 1));
  });

  it('is refused for a market without times and observations', () => {
    const nothing = { openUs: null, closeUs: null, lastUs: null, live: false, moves: true, nowUs: closeUs };
    refused(() => windowOf(defaultBounds, nothing), /no open time, close time or observations/);
  });
});

describe('the window of a query with bounds', () => {
  it('is six hours from a start alone and six hours up to an end alone', () => {
    const at = 1_771_990_000.5;
    const us = at * 1e6;
    assert.deepEqual(windowOf({ ...defaultBounds, startTs: at }, settled), window(us, us + windowUsMax));
    assert.deepEqual(windowOf({ ...defaultBounds, endTs: at }, settled), window(us - windowUsMax, us));
    const short = windowOf({ ...defaultBounds, preview: true, startTs: at }, { ...settled, lastUs: us });
    assert.deepEqual(short, window(us, us + previewWindowUsMax));
  });

  it('is exact to the microsecond', () => {
    const requestedWindow = windowOf(
      { ...defaultBounds, startTs: 1771993365.058297, endTs: 1771993365.058298 },
      settled,
    );
    assert.deepEqual(requestedWindow, window(1771993365058297, 1771993365058298));
  });

  it('is the first six hours of a longer one, and 15 minutes for preview=true', () => {
    const start = 1_771_990_000;
    const bounds = { ...defaultBounds, startTs: start, endTs: start + 21_601 };
    assert.deepEqual(
      windowOf(bounds, settled),
      window(start * second, (start + 21_600) * second, { clamped: true, goesOn: true }),
    );
    const short = windowOf({ ...bounds, preview: true }, settled);
    assert.deepEqual(short, window(start * second, (start + 900) * second, { clamped: true, goesOn: true }));
    assert.equal(windowOf({ ...bounds, endTs: start + 21_600 }, settled).clamped, false);
  });

  it('from a start alone is cut when rows follow, and then not inside a step', () => {
    const start = 1_771_990_000.4;
    const endUs = start * 1e6 + windowUsMax;
    const from = (lastUs: number | null, stepMs = 0): Window =>
      windowOf({ startTs: start, stepMs, preview: false }, { ...settled, lastUs });
    assert.deepEqual(from(endUs), window(start * 1e6, endUs, { clamped: true, goesOn: true }));
    for (const lastUs of [endUs - 1, null]) assert.deepEqual(from(lastUs), window(start * 1e6, endUs));
    assert.deepEqual(from(endUs, 1_000), window(start * 1e6, 1_772_011_600 * second, { clamped: true, goesOn: true }));
  });

  it('is never cut inside a step', () => {
    const start = 1_771_990_000.4;
    const cut = (stepMs: number): number =>
      windowOf({ startTs: start, endTs: start + 30_000, stepMs, preview: false }, settled).endUs;
    assert.equal(cut(0), start * 1e6 + windowUsMax);
    assert.equal(cut(1_000), 1_772_011_600 * second);
    assert.equal(cut(60_000) % (60 * second), 0);
  });

  it('is refused when it is reversed or empty', () => {
    refused(
      () => windowOf({ ...defaultBounds, startTs: 20, endTs: 10 }, settled),
      /start_ts must be earlier than end_ts/,
    );
    refused(() => windowOf({ ...defaultBounds, startTs: 10, endTs: 10 }, settled), /earlier/);
  });

  it('is refused outside 0 to 4102444800, with a hint at milliseconds above 1e11', () => {
    refused(
      () => windowOf({ ...defaultBounds, startTs: -1 }, settled),
      /^start_ts must be between 0 and 4102444800\.(?!.*milli)/,
    );
    refused(() => windowOf({ ...defaultBounds, endTs: 4102444801 }, settled), /^end_ts must(?!.*milli)/);
    refused(() => windowOf({ ...defaultBounds, endTs: 1771993365058 }, settled), /milliseconds/);
    assert.equal(windowOf({ ...defaultBounds, startTs: 0, endTs: 1 }, settled).startUs, 0);
    assert.equal(windowOf({ ...defaultBounds, endTs: 4102444800 }, settled).endUs, 4102444800 * second);
  });

  it('stays inside 0 to 4102444800, so that its bounds are valid in the next query', () => {
    const last = 4102444800;
    assert.deepEqual(windowOf({ ...defaultBounds, endTs: 10 }, settled), window(0, 10 * second));
    assert.deepEqual(
      windowOf({ ...defaultBounds, startTs: last - 10 }, settled),
      window((last - 10) * second, last * second),
    );
    const late = { ...settled, closeUs: last * second };
    assert.deepEqual(windowOf(defaultBounds, late), window(last * second - windowUsMax, last * second));
    const early = { ...settled, closeUs: 10, lastUs: null };
    assert.deepEqual(windowOf(defaultBounds, early), window(0, 11));
    refused(() => windowOf({ ...defaultBounds, startTs: last }, settled), /^start_ts must be less than 4102444800\.$/);
    refused(() => windowOf({ ...defaultBounds, endTs: 0 }, settled), /^end_ts must be greater than 0\.$/);
  });
});

describe('the window of a bulk read', () => {
  const whole = (bounds: Partial<Bounds>, times: MarketTimes, firstUs: number | null): Window =>
    wholeWindowOf(checkedBounds({ ...defaultBounds, ...bounds }), times, firstUs);
  const firstUs = closeUs - 100_000 * second;
  const openUs = closeUs - 900 * second;

  it('is as long as its bounds', () => {
    const given = whole({ startTs: 10, endTs: 4102444800 }, settled, firstUs);
    assert.deepEqual(given, window(10 * second, 4102444800 * second));
  });

  it('has the first and last time of the data where a bound is missing', () => {
    assert.deepEqual(whole({}, settled, firstUs), window(firstUs, closeUs + 1));
    assert.deepEqual(whole({}, settled, null), window(openUs, closeUs + 1));
    const lastUs = closeUs + 7 * second;
    assert.deepEqual(whole({ startTs: 20 }, { ...settled, lastUs }, firstUs), window(20 * second, lastUs + 1));
    assert.deepEqual(whole({ endTs: 1_771_993_000 }, settled, firstUs), window(firstUs, 1_771_993_000 * second));
    const live = { ...settled, live: true, nowUs: closeUs - second };
    assert.deepEqual(whole({}, live, firstUs), window(firstUs, closeUs - second, { dependsOnNow: true }));
  });

  it('is never empty or reversed, and is refused without any time', () => {
    assert.deepEqual(whole({ startTs: 4_000_000_000 }, settled, firstUs), window(4e15, 4e15 + 1));
    assert.deepEqual(whole({ endTs: 10 }, settled, firstUs), window(10 * second - 1, 10 * second));
    const nothing = { openUs: null, closeUs: null, lastUs: null, live: false, moves: true, nowUs: closeUs };
    refused(() => whole({}, nothing, null), /no open time, close time or observations/);
    assert.deepEqual(whole({ startTs: 1 }, nothing, null), window(second, second + 1));
  });
});

describe('the start of the next page', () => {
  it('is the next microsecond without a step, else the start of the next step', () => {
    assert.equal(nextStartUs(1771993365058297, 0), 1771993365058298);
    assert.equal(nextStartUs(1771993365058297, 1_000), 1771993366000000);
    assert.equal(nextStartUs(1771993365000000, 1_000), 1771993366000000);
    assert.equal(nextStartUs(1771993365058297, 7), 1771993365065000);
  });
});

const refused = (work: () => unknown, sentence: RegExp): void =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof DomainError);
    assert.equal(error.code, 'invalid_window');
    assert.match(error.detail, sentence);
    return true;
  });
