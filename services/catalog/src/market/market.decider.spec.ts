import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MarketState, marketState, presentHistory } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
import { seededRandom } from '@almanac/testing';
import { marketDecider, type MarketFact } from './market.decider.js';

const ticker = 'KXBTC15M-26FEB242330-30';
const { given } = specificationOf(marketDecider);
const recorded = (fact: Omit<MarketFact, 'ticker'>) => ({ type: 'MarketRecorded', data: { ticker, ...fact } }) as const;
const state = (known: Omit<MarketFact, 'ticker'>) => marketState.parse({ ticker, ...known });

describe('a market', () => {
  it('is recorded with the stated fields and without absent ones', () => {
    given([])
      .when({ ticker, series: 'KXBTC15M', title: null, result: '', close_us: 5 })
      .then(recorded({ series: 'KXBTC15M', result: '', close_us: 5 }));
    given([])
      .when({ ticker, series: 'KXBTC15M', result: '', close_us: 5 })
      .thenState(
        state({
          series: 'KXBTC15M',
          close_us: 5,
          title: 'Bitcoin 15 minutes: closes 1970-01-01 00:00 UTC',
          derived_title: true,
        }),
      );
  });

  it('is recorded by its ticker alone', () => given([]).when({ ticker }).then(recorded({})));

  it('does not change when a fact repeats or states nothing', () => {
    const known = [recorded({ title: 'Bitcoin up?', floor_strike: '65573.37', open_price: { price: '1.5', us: 3 } })];
    given(known)
      .when({ ticker, title: 'Bitcoin up?', open_price: { price: '1.5', us: 3 } })
      .then(null);
    given(known).when({ ticker, title: null, floor_strike: null, open_price: null }).then(null);
    given(known).when({ ticker }).then(null);
  });

  it('has the trades of the statement with the most, because stored trades stay', () => {
    const trades = (n: number, volume: string) => ({ trades: { n, volume } });
    given([recorded(trades(2, '10'))])
      .when({ ticker, ...trades(3, '11.5') })
      .thenState(state(trades(3, '11.5')));
    given([recorded(trades(2, '10'))])
      .when({ ticker, ...trades(1, '99') })
      .then(null);
    given([recorded(trades(2, '10'))])
      .when({ ticker, ...trades(2, '12') })
      .thenState(state(trades(2, '12')));
    given([recorded(trades(2, '10'))])
      .when({ ticker, title: 'T' })
      .thenState(state({ title: 'T', ...trades(2, '10') }));
  });

  it('takes the last stated value, and absent values erase nothing', () =>
    given([recorded({ result: 'no', strike_type: 'greater' })])
      .when({ ticker, result: 'yes', strike_type: null })
      .thenState(state({ result: 'yes', strike_type: 'greater' })));

  it('keeps a value over one that was known before it, in any order of sources', () => {
    const stated = (close_us: number, known_us: number) => ({
      close_us,
      history: [{ known_us, basis: 'recorded' as const, values: { close_us: String(close_us) } }],
    });
    const both = state({
      close_us: 20,
      history: [
        { known_us: 1, basis: 'recorded', values: { close_us: '10' } },
        { known_us: 2, basis: 'recorded', values: { close_us: '20' } },
      ],
    });
    const [early, late] = [stated(10, 1), stated(20, 2)];
    for (const [first, second] of [
      [early, late],
      [late, early],
    ] as const) {
      given([recorded(first)])
        .when({ ticker, ...second })
        .thenState(both);
      given([recorded(first), recorded(second)])
        .when({ ticker, ...first })
        .then(null);
    }
  });

  it('has the newest statements of a market that was opened again, and the same state and history in any order', () => {
    const at = (known_us: number, values: Readonly<Record<string, string>>) => ({
      ticker,
      ...Object.fromEntries(
        Object.entries(values).map(([field, value]) => [field, field === 'close_us' ? Number(value) : value || null]),
      ),
      history: [{ known_us, basis: 'venue' as const, values }],
    });
    const statements = [
      at(10, { venue_status: 'finalized', result: 'yes', close_us: '9', title: 'A' }),
      at(20, { venue_status: 'finalized', result: 'no', close_us: '9', title: 'B' }),
      at(30, { venue_status: 'active', result: '', close_us: '99', title: 'A' }),
    ];
    const after = (facts: readonly (typeof statements)[number][]) =>
      facts.reduce<MarketState | undefined>(
        (before, fact) => marketDecider.evolve(before, { type: 'MarketRecorded', data: fact }),
        undefined,
      );
    const expected = after(statements);
    assert.partialDeepStrictEqual(expected, { venue_status: 'active', result: null, close_us: 99, title: 'A' });
    const random = seededRandom(9);
    for (let round = 0; round < 200; round += 1) {
      const shuffled = [...statements, ...statements]
        .map((fact) => ({ fact, place: random() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ fact }) => fact);
      assert.deepEqual(after(shuffled), expected);
    }
    assert.deepEqual(
      presentHistory(expected?.history ?? [], {
        venue_status: 'active',
        result: null,
        close_us: 99,
        settlement_value: null,
      })
        .history.filter(({ field }) => field !== 'close_ts')
        .map(({ field, value }) => [field, value]),
      [
        ['venue_status', 'finalized'],
        ['result', 'yes'],
        ['result', 'no'],
        ['venue_status', 'active'],
        ['result', ''],
      ],
    );
  });

  it('takes a value without a knowledge time as before: the last one wins', () => {
    const dated = {
      close_us: 10,
      history: [{ known_us: 1, basis: 'venue' as const, values: { close_us: '10' } }],
    };
    given([recorded(dated)])
      .when({ ticker, close_us: 30 })
      .thenState(state({ ...dated, close_us: 30 }));
  });

  it('keeps its captured books, in whichever order sources report', () => {
    given([recorded({ capture: 'l2' })])
      .when({ ticker, capture: 'top' })
      .then(null);
    given([recorded({ capture: 'top' })])
      .when({ ticker, capture: 'l2' })
      .thenState(state({ capture: 'l2' }));
  });

  it('keeps the latest prices up to its open and close, in whichever order they arrive', () => {
    const early = { open_price: { price: '10', us: 1 }, last_price: { price: '11', us: 2 } };
    const late = { open_price: { price: '12', us: 3 }, last_price: { price: '13', us: 4 } };
    given([recorded(early)])
      .when({ ticker, ...late })
      .thenState(state(late));
    given([recorded(late)])
      .when({ ticker, ...early })
      .then(null);
  });

  it('takes the price that arrives last in the same microsecond', () =>
    given([recorded({ open_price: { price: '10', us: 1 }, last_price: { price: '10', us: 1 } })])
      .when({ ticker, open_price: { price: '11', us: 1 }, last_price: { price: '12', us: 1 } })
      .thenState(state({ open_price: { price: '11', us: 1 }, last_price: { price: '12', us: 1 } })));

  it('takes no price from after its open or its close, whichever arrives first', () => {
    const after = { open_price: { price: '10', us: 6 }, last_price: { price: '11', us: 21 } };
    const times = { open_us: 5, close_us: 20 };
    given([recorded(times)])
      .when({ ticker, ...after })
      .then(null);
    given([recorded(after)])
      .when({ ticker, ...times })
      .thenState(state(times));
    const atEnds = { open_price: { price: '10', us: 5 }, last_price: { price: '11', us: 20 } };
    given([recorded(times)])
      .when({ ticker, ...atEnds })
      .thenState(state({ ...times, ...atEnds }));
  });

  it('without a title gets one from series, strike and close, until a source has one', () => {
    const close_us = Date.UTC(2026, 1, 25, 4, 30) * 1_000;
    const known = { series: 'KXBTC15M', close_us };
    const titled = (title: string) => ({ title, derived_title: true });
    given([])
      .when({ ticker, ...known })
      .thenState(state({ ...known, ...titled('Bitcoin 15 minutes: closes 2026-02-25 04:30 UTC') }));
    const strike = { floor_strike: '1065434.98', strike_type: 'greater_or_equal' };
    given([recorded(known)])
      .when({ ticker, ...strike })
      .thenState(
        state({
          ...known,
          ...strike,
          ...titled('Bitcoin 15 minutes: 1,065,434.98 or above, closes 2026-02-25 04:30 UTC'),
        }),
      );
    given([recorded({ ...known, ...strike })])
      .when({ ticker, title: 'BTC up?' })
      .thenState(state({ ...known, ...strike, title: 'BTC up?' }));
    given([recorded({ title: 'BTC up?' })])
      .when({ ticker, ...known, ...strike })
      .thenState(state({ ...known, ...strike, title: 'BTC up?' }));
  });

  it('stores half a surrogate pair as the replacement character', () =>
    given([])
      .when({ ticker, title: 'up \ud83d?' })
      .thenState(state({ title: 'up \ufffd?' })));
});
