import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { archiveState, eventState, marketState, parseCarrying, seriesState } from '@almanac/contracts';
import { dataVersionDecider } from '@almanac/event-store';
import { assertCarries } from '@almanac/event-store/testing';
import { eventDecider } from '../event/event.decider.js';
import { marketDecider } from '../market/market.decider.js';
import { seriesDecider } from '../series/series.decider.js';

describe('a catalogue entry of a newer release', () => {
  const price = { price: '1.5', us: 1 };
  const market = { ticker: 'M', open_us: 2, close_us: 2, open_price: price, last_price: price };

  it('keeps its fields in every event', () => {
    const state = marketState.parse(market);
    assertCarries(marketDecider, { state, event: { type: 'MarketRecorded', data: { ticker: 'M', result: 'yes' } } });
    const series = seriesState.parse({ id: 'S' });
    assertCarries(seriesDecider, { state: series, event: { type: 'SeriesRecorded', data: { id: 'S', label: 'L' } } });
    const event = eventState.parse({ event_ticker: 'E' });
    assertCarries(eventDecider, {
      state: event,
      event: { type: 'EventRecorded', data: { event_ticker: 'E', title: 'T' } },
    });
    const version = archiveState.parse({ ticker: 'M', version: 1, min_us: 1, max_us: 2 });
    const data = { cause: 'observations', rows: 1, min_us: 0, max_us: 3 } as const;
    assertCarries(dataVersionDecider('M'), { state: version, event: { type: 'MarketDataChanged', data } });
  });

  it('does not change when a fact repeats', () => {
    const [state] = [parseCarrying(marketState, { ...market, title: 'T', colour: 'red' })];
    assert.equal(marketDecider.decide({ ticker: 'M', title: 'T' }, state), null);
  });
});
