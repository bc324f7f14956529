import { describe, it } from 'node:test';
import { specificationOf } from '@almanac/event-store/testing';
import { seriesDecider } from './series.decider.js';

const { given } = specificationOf(seriesDecider);
const id = 'KXBTC15M';
const recorded = { type: 'SeriesRecorded', data: { id, label: 'Bitcoin 15 min', shape: 'rolling' } } as const;
const reference = { id, category: 'crypto', category_label: 'Crypto' };

describe('a series', () => {
  it('that only a market names gets a readable label, marked as ours', () => {
    const labelled = (label: string) => ({ label, derived_label: true, shape: null, fees: [] });
    given([]).when({ reference }).then({ type: 'SeriesRecorded', data: reference });
    given([])
      .when({ reference })
      .thenState({ ...reference, ...labelled('Bitcoin 15 minutes') });
    for (const [other, label] of [
      ['btc-updown-5m', 'Bitcoin up or down 5 minutes'],
      ['KXETHD', 'Ethereum daily'],
      ['KXSOL1H', 'Solana 1 hour'],
      ['KXNBAGAME', 'KXNBAGAME'],
    ] as const)
      given([])
        .when({ reference: { ...reference, id: other } })
        .thenState({ ...reference, id: other, ...labelled(label) });
  });

  it("takes the venue's label over that of an import, and that over a made one, in any order", () => {
    const ours = { id, label: 'Bitcoin price in 15 minutes', derived_label: true };
    const venues = { id, label: 'Bitcoin 15 min' };
    const none = { category: null, category_label: null, shape: null, fees: [] };
    given([{ type: 'SeriesRecorded', data: { id } }])
      .when({ fact: ours })
      .thenState({ ...none, ...ours });
    given([{ type: 'SeriesRecorded', data: ours }])
      .when({ fact: venues })
      .thenState({ ...none, ...venues, derived_label: null });
    given([{ type: 'SeriesRecorded', data: venues }])
      .when({ fact: ours })
      .then(null);
  });

  it('takes from a reference only what it lacks', () => {
    const all = {
      id,
      label: 'Bitcoin 15 min',
      derived_label: null,
      shape: 'rolling',
      category: 'crypto',
      category_label: 'Crypto',
      fees: [],
    };
    given([recorded]).when({ reference }).thenState(all);
    given([recorded, { type: 'SeriesRecorded', data: { id, category: 'money' } }])
      .when({ reference })
      .thenState({ ...all, category: 'money' });
  });

  it('ends the same whether it is referenced before or after it is recorded', () => {
    const all = {
      id,
      label: 'Bitcoin 15 min',
      derived_label: null,
      shape: 'rolling',
      category: 'crypto',
      category_label: 'Crypto',
      fees: [],
    };
    given([{ type: 'SeriesRecorded', data: { id, label: id, category: 'crypto', category_label: 'Crypto' } }])
      .when({ fact: recorded.data })
      .thenState(all);
  });

  it('has the fees of all sources, in any order and each once', () => {
    const fee = (multiplier: string, known_us: number) => ({
      type: 'quadratic',
      multiplier,
      valid_from_us: null,
      known_us,
      basis: 'recorded' as const,
    });
    const [first, second] = [fee('1', 5), fee('2', 9)];
    for (const orders of [
      [first, second, first],
      [second, first, second],
    ]) {
      const events = orders.map((one) => ({ type: 'SeriesRecorded' as const, data: { id, fees: [one] } }));
      given(events)
        .when({ fact: { id, shape: 'rolling', fees: [fee('1', 7)] } })
        .thenState({
          id,
          label: 'Bitcoin 15 minutes',
          derived_label: true,
          category: null,
          category_label: null,
          shape: 'rolling',
          fees: [first, second],
        });
      given(events)
        .when({ fact: { id, fees: [second] } })
        .then(null);
    }
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
