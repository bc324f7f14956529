import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calendarOf } from './coverage-cells.js';

const gap = (start_ts: number, end_ts: number | null, reason = 'restart') =>
  ({ start_ts, end_ts, reason, missing: 'all' }) as const;

describe('the calendar of coverage', () => {
  it('has fields of a unit of the clock, from the open to the close', () => {
    const { unit_s, cells } = calendarOf({ from: 1_000, to: 1_900 }, []);
    assert.equal(unit_s, 5);
    assert.equal(cells.length, 180);
    assert.deepEqual([cells[0]?.from, cells.at(-1)?.to], [1_000, 1_900]);
    assert.ok(cells.every(({ share }) => share === 1));
  });

  it('has the recorded share of each field', () => {
    const { cells } = calendarOf({ from: 0, to: 900 }, [gap(2, 4, 'restart'), gap(3, 11, 'feed lost')]);
    assert.deepEqual(
      cells.slice(0, 4).map(({ covered_s }) => covered_s),
      [2, 0, 4, 5],
    );
    assert.deepEqual(cells[0]?.reasons, ['restart', 'feed lost']);
  });

  it('counts an open gap until the end', () => {
    const { cells } = calendarOf({ from: 0, to: 10 }, [gap(4, null)]);
    assert.equal(
      cells.reduce((sum, { covered_s }) => sum + covered_s, 0),
      4,
    );
  });

  it('has at most some hundred fields for a life of years', () => {
    const { unit_s, cells } = calendarOf({ from: 0, to: 10 * 365 * 86_400 }, []);
    assert.equal(unit_s, 28 * 86_400);
    assert.ok(cells.length < 200);
  });
});
