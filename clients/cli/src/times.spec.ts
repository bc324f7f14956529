import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from './errors.js';
import { durationSeconds, unixSeconds } from './times.js';

const nowMs = 1_771_992_900_500;
const seconds = (text: string): number => unixSeconds(text, '--at', nowMs);

describe('a time on the command line', () => {
  it('is Unix seconds, a time in UTC or with a zone, a day, or a time before now', () => {
    assert.equal(seconds('1771992900.25'), 1_771_992_900.25);
    assert.equal(seconds('2026-02-25T04:15:00Z'), 1_771_992_900);
    assert.equal(seconds('2026-02-25T05:15+01:00'), 1_771_992_900);
    assert.equal(seconds('2026-02-25T04:15:00'), 1_771_992_900);
    assert.equal(seconds('2026-02-25T04:15:00.123456Z'), 1_771_992_900.123456);
    assert.equal(seconds('2026-02-25'), 1_771_977_600);
    assert.equal(seconds('now'), 1_771_992_900.5);
    assert.equal(seconds('now-15m'), 1_771_992_000.5);
  });

  it('is refused in milliseconds, or as another text', () => {
    for (const text of ['1771992900000', 'yesterday', '', '2026-13-45', '-5', 'now-']) {
      assert.throws(() => seconds(text), UsageError, text);
    }
    assert.throws(() => seconds('1771992900000'), /milliseconds/);
  });
});

it('a duration has a unit, or is in seconds', () => {
  assert.deepEqual(
    ['90', '90s', '15m', '1.5h', '2d'].map((text) => durationSeconds(text, '--period')),
    [90, 90, 900, 5_400, 172_800],
  );
  for (const text of ['0', '-1m', '5w', 'm', '']) assert.throws(() => durationSeconds(text, '--period'), UsageError);
});
