import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import type { CachedEvents, EventNames } from '../event/event-cache.js';
import { seriesMark } from '../event/event-cache.js';
import { noFigures } from '../series/compute-figures.js';
import { textIndex } from '../words/text-index.js';
import { eventsCloseWithin } from './closes-of-events.js';

/** The closes of each event's markets, in an index of one series. */
const seriesOf = (events: readonly (readonly number[])[], markets_n = events.flat().length) => {
  const text = textIndex<EventNames>({ textOf: () => '', isTyped: () => false });
  const figures = new Map<string, CachedEvents['figures'] extends ReadonlyMap<string, infer T> ? T : never>();
  for (const [number, closes] of events.entries()) {
    const event_ticker = `E${number}`;
    const names = { event_ticker, id: event_ticker, title: null, series: 'S', category: null, seq: 1 };
    text.put(event_ticker, names, [`${seriesMark}S`]);
    const [oldest_close_us, newest_close_us] = [Math.min(...closes), Math.max(...closes)];
    const close_key = newest_close_us;
    figures.set(event_ticker, { markets_n: closes.length, known_n: 0, close_key, oldest_close_us, newest_close_us });
  }
  const state = { id: 'S' } as Parameters<typeof eventsCloseWithin>[1]['state'];
  return { events: { text, figures }, series: { state, figures: { ...noFigures, markets_n } } };
};

describe('closes of the events of a series', () => {
  it('decide whether a market closes in a window, as each market does', () => {
    const random = seededRandom(17);
    const upTo = (n: number): number => Math.floor(random() * n);
    const decided = { yes: 0, no: 0, open: 0 };
    for (let round = 0; round < 2_000; round += 1) {
      const closes = Array.from({ length: 1 + upTo(4) }, () => Array.from({ length: 1 + upTo(3) }, () => upTo(40)));
      const fromUs = upTo(40);
      const window = { fromUs, toUs: fromUs + upTo(10) };
      const expected = closes.flat().some((us) => us >= window.fromUs && us <= window.toUs);
      const { events, series } = seriesOf(closes);
      const found = eventsCloseWithin(events, series, window);
      if (found !== undefined) assert.equal(found, expected, JSON.stringify({ closes, window }));
      decided[found === undefined ? 'open' : found ? 'yes' : 'no'] += 1;
    }
    assert.ok(decided.yes > 500 && decided.no > 500, JSON.stringify(decided));
  });

  it('decide nothing for a series with markets that belong to none of its events', () => {
    const { events, series } = seriesOf([[5]], 2);
    assert.equal(eventsCloseWithin(events, series, { fromUs: 0, toUs: 9 }), undefined);
    assert.equal(eventsCloseWithin(events, series, { fromUs: 10, toUs: 19 }), undefined);
  });
});
