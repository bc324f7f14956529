import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { followed, panned, rounded, type Window, within, withMargin, zoomed } from './window.js';

const life: Window = { from: 1_000, to: 2_000 };

describe('the window of a chart', () => {
  it('zooms in and out around a time, which stays at its place', () => {
    const shown = zoomed(life, 0.5, 1_250, life);
    assert.deepEqual(shown, { from: 1_125, to: 1_625 });
    assert.equal((1_250 - shown.from) / (shown.to - shown.from), 0.25);
    assert.deepEqual(zoomed(shown, 2, 1_250, life), life);
  });

  it('never shows more than the life, and never less than half a second', () => {
    assert.deepEqual(zoomed(life, 10, 1_500, life), life);
    const deepest = zoomed(life, 1e-9, 1_500, life);
    assert.equal(deepest.to - deepest.from, 0.5);
    assert.deepEqual(zoomed(life, 0.5, 2_000, life), { from: 1_500, to: 2_000 });
  });

  it('moves without a change of its length, until it touches an end', () => {
    const shown = { from: 1_400, to: 1_500 };
    assert.deepEqual(panned(shown, 0.5, life), { from: 1_450, to: 1_550 });
    assert.deepEqual(panned(shown, -100, life), { from: 1_000, to: 1_100 });
    assert.deepEqual(panned(shown, 100, life), { from: 1_900, to: 2_000 });
  });

  it('follows new data at its end, and stays where somebody looks at what was before', () => {
    const later = { from: 1_000, to: 2_030 };
    assert.deepEqual(followed(life, life, later), later);
    assert.deepEqual(followed({ from: 1_900, to: 2_000 }, life, later), { from: 1_930, to: 2_030 });
    assert.deepEqual(followed({ from: 1_400, to: 1_500 }, life, later), { from: 1_400, to: 1_500 });
  });

  it('stays finite for a life of one moment', () => {
    const moment = withMargin({ from: 5, to: 5 });
    assert.deepEqual(moment, { from: -25, to: 35 });
    assert.deepEqual(within(moment, { from: 5, to: 5 }), { from: 5, to: 5.5 });
  });

  it('sends times of microseconds, without the noise of floats', () => {
    assert.equal(rounded(1_771_993_365.1 + 0.2), 1_771_993_365.3);
  });
});
