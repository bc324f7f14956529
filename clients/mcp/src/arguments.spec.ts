import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { argumentsOf } from './arguments.js';
import { ticker, timestamp } from './tool.js';
import { ToolError } from './tool-errors.js';

const input = z.strictObject({ ticker, at_ts: timestamp.optional(), limit: z.int().min(10).max(50).default(20) });
const at = (given: unknown) => argumentsOf(input, { ticker: 'T', at_ts: given }).value.at_ts;
const refusalOf = (given: unknown): ToolError => {
  try {
    argumentsOf(input, given);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  return assert.fail('it was accepted');
};

describe('the arguments of a tool', () => {
  it('are times as Unix seconds or ISO texts, in UTC without a zone', () => {
    const seconds = 1_771_977_600;
    for (const text of ['2026-02-25', '2026-02-25T00:00', '2026-02-25T00:00:00Z', '2026-02-25T05:30:00+05:30'])
      assert.equal(at(text), seconds, text);
    assert.deepEqual([at(1.5), at('2026-02-25T00:00:00.250001')], [1.5, seconds + 0.250001]);
    for (const wrong of ['soon', '2026-13-01', '2026-02-25 00:00', '1771977600', -1, null])
      assert.throws(() => at(wrong), /invalid_arguments: at_ts: /, String(wrong));
  });

  it('have a limit within its bounds, with a notice of a change', () => {
    assert.deepEqual(argumentsOf(input, { ticker: 'T' }), { value: { ticker: 'T', limit: 20 }, notices: [] });
    for (const [limit, bound, name] of [
      [1, 10, 'minimum'],
      [51, 50, 'maximum'],
    ] as const) {
      const { value, notices } = argumentsOf(input, { ticker: 'T', limit });
      assert.deepEqual([value.limit, notices], [bound, [`limit is ${bound}, its ${name}.`]]);
    }
    assert.match(refusalOf({ ticker: 'T', limit: 'x' }).detail, /^limit: /);
  });

  it('are refused with every fault', () => {
    const { code, detail, remedy } = refusalOf({ tickr: 'T', limit: 5 });
    assert.equal(code, 'invalid_arguments');
    assert.match(detail, /^ticker is missing\. .*There is no argument tickr\./);
    assert.match(remedy, /call the tool again/);
  });
});
