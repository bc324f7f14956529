import { describe, it } from 'node:test';
import { marketState } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
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
      .thenState(state({ series: 'KXBTC15M', close_us: 5 }));
  });

  it('is recorded by its ticker alone', () => given([]).when({ ticker }).then(recorded({})));

  it('does not change when a fact repeats or states nothing', () => {
    const known = [recorded({ title: 'Bitcoin up?', floor_strike: '65573.37', first_price: { price: '1.5', us: 3 } })];
    given(known)
      .when({ ticker, title: 'Bitcoin up?', first_price: { price: '1.5', us: 3 } })
      .then(null);
    given(known).when({ ticker, title: null, floor_strike: null, first_price: null }).then(null);
    given(known).when({ ticker }).then(null);
  });

  it('takes the last stated value, and absent values erase nothing', () =>
    given([recorded({ result: 'no', strike_type: 'greater' })])
      .when({ ticker, result: 'yes', strike_type: null })
      .thenState(state({ result: 'yes', strike_type: 'greater' })));

  it('keeps its captured books, in whichever order sources report', () => {
    given([recorded({ capture: 'l2' })])
      .when({ ticker, capture: 'top' })
      .then(null);
    given([recorded({ capture: 'top' })])
      .when({ ticker, capture: 'l2' })
      .thenState(state({ capture: 'l2' }));
  });

  it('keeps the earliest first and the latest last price, in whichever order they arrive', () => {
    const early = { first_price: { price: '10', us: 1 }, last_price: { price: '11', us: 2 } };
    const late = { first_price: { price: '12', us: 3 }, last_price: { price: '13', us: 4 } };
    const both = state({ first_price: early.first_price, last_price: late.last_price });
    given([recorded(early)])
      .when({ ticker, ...late })
      .thenState(both);
    given([recorded(late)])
      .when({ ticker, ...early })
      .thenState(both);
  });

  it('takes the price that arrives last in the same microsecond', () =>
    given([recorded({ first_price: { price: '10', us: 1 }, last_price: { price: '10', us: 1 } })])
      .when({ ticker, first_price: { price: '11', us: 1 }, last_price: { price: '12', us: 1 } })
      .thenState(state({ first_price: { price: '11', us: 1 }, last_price: { price: '12', us: 1 } })));

  it('takes no price from before its opening or after its close, whichever arrives first', () => {
    const outside = { first_price: { price: '10', us: 4 }, last_price: { price: '11', us: 21 } };
    const times = { open_us: 5, close_us: 20 };
    given([recorded(times)])
      .when({ ticker, ...outside })
      .then(null);
    given([recorded(outside)])
      .when({ ticker, ...times })
      .thenState(state(times));
    const atEnds = { first_price: { price: '10', us: 5 }, last_price: { price: '11', us: 20 } };
    given([recorded(times)])
      .when({ ticker, ...atEnds })
      .thenState(state({ ...times, ...atEnds }));
  });

  it('stores half a surrogate pair as the replacement character', () =>
    given([])
      .when({ ticker, title: 'up \ud83d?' })
      .thenState(state({ title: 'up \ufffd?' })));
});
