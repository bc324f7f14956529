import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import { targetOf } from './target.js';

const [event, ticker, series] = ['E', 'E-T1.5', 'S'];
const [from, to] = ['2026-02-24', '2026-02-26'];

describe('the target of an export', () => {
  it('has one form, however it is written', () => {
    const none = { event: null, ticker: null, series: null, day: null };
    assert.deepEqual(targetOf({ event, ticker: '', day: null }), { ...none, event });
    assert.deepEqual(targetOf({ series, from, to: from }), { ...none, series, day: from });
    assert.deepEqual(targetOf({ series, from, to }), { ...none, series, from, to });
    assert.deepEqual(targetOf({ events: [event] }), { ...none, event });
    assert.deepEqual(targetOf({ tickers: ['B', 'A', 'B'] }), { ...none, tickers: ['A', 'B'] });
  });

  it('is refused if it is missing, ambiguous or not valid', () => {
    const refused: Readonly<Partial<Record<ErrorCode, readonly Parameters<typeof targetOf>[0][]>>> = {
      missing_target: [
        {},
        { event: '', ticker: null },
        { series },
        { day: from },
        { series, from },
        { series, to },
        { from, to },
      ],
      ambiguous_target: [
        { event, ticker },
        { event, day: from },
        { event, from, to },
        { event, events: [event] },
        { events: [event], tickers: [ticker] },
        { series, day: from, to },
      ],
      invalid_input: [
        { series, day: '2026-02-30' },
        { series, from: to, to: from },
      ],
    };
    for (const [code, targets] of Object.entries(refused))
      for (const target of targets)
        assert.throws(
          () => targetOf(target),
          (error) => error instanceof DomainError && error.code === code,
          JSON.stringify(target),
        );
  });
});
