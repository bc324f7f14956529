import { describe, it } from 'node:test';
import { specificationOf } from '@almanac/event-store/testing';
import { eventDecider } from './event.decider.js';

const { given } = specificationOf(eventDecider);
const event_ticker = 'KXBTC15M-26FEB242330';
const reference = { event_ticker, series: 'KXBTC15M', category: 'crypto' };

describe('an event', () => {
  it('that only a market names is created with the series and category of that market', () =>
    given([]).when({ reference }).then({ type: 'EventRecorded', data: reference }));

  it('takes from a reference only what it lacks', () =>
    given([{ type: 'EventRecorded', data: { event_ticker, title: 'Bitcoin at 23:30', category: 'money' } }])
      .when({ reference })
      .thenState({
        event_ticker,
        title: 'Bitcoin at 23:30',
        series: 'KXBTC15M',
        category: 'money',
        category_label: null,
      }));

  it('does not change when it is referenced or recorded again', () => {
    const recorded = { type: 'EventRecorded', data: { ...reference, title: 'Bitcoin at 23:30' } } as const;
    given([recorded]).when({ reference }).then(null);
    given([recorded])
      .when({ fact: { event_ticker, title: null, series: '' } })
      .then(null);
  });
});
