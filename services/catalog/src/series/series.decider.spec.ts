import { describe, it } from 'node:test';
import { specificationOf } from '@almanac/event-store/testing';
import { seriesDecider } from './series.decider.js';

const { given } = specificationOf(seriesDecider);
const id = 'KXBTC15M';
const recorded = { type: 'SeriesRecorded', data: { id, label: 'Bitcoin 15 min', shape: 'rolling' } } as const;
const reference = { id, category: 'crypto', category_label: 'Crypto' };

describe('a series', () => {
  it('that only a market names is created with its id as label', () =>
    given([])
      .when({ reference })
      .then({ type: 'SeriesRecorded', data: { id, label: id, category: 'crypto', category_label: 'Crypto' } }));

  it('takes from a reference only what it lacks', () => {
    const all = { id, label: 'Bitcoin 15 min', shape: 'rolling', category: 'crypto', category_label: 'Crypto' };
    given([recorded]).when({ reference }).thenState(all);
    given([recorded, { type: 'SeriesRecorded', data: { id, category: 'money' } }])
      .when({ reference })
      .thenState({ ...all, category: 'money' });
  });

  it('ends the same whether it is referenced before or after it is recorded', () => {
    const all = { id, label: 'Bitcoin 15 min', shape: 'rolling', category: 'crypto', category_label: 'Crypto' };
    given([{ type: 'SeriesRecorded', data: { id, label: id, category: 'crypto', category_label: 'Crypto' } }])
      .when({ fact: recorded.data })
      .thenState(all);
  });

  it('does not change when it is referenced or recorded again', () => {
    given([recorded])
      .when({ fact: { id, label: 'Bitcoin 15 min' } })
      .then(null);
    given([recorded])
      .when({ reference: { id, category: null, category_label: null } })
      .then(null);
  });
});
