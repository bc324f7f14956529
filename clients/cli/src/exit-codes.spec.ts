import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AlmanacError, ApiError, ConnectionError, ExportError, FileError } from '@almanac/client/node';
import { Interrupted, SignedOutError, UsageError } from './errors.js';
import { exitCodeOf } from './exit-codes.js';

const text = { detail: 'd', remedy: '' };
const refused = (status: number, code: string): ApiError =>
  new ApiError({ ...text, code, status, request_id: 'r', retryAfter: null, fields: [], notices: [], body: {} });

describe('the exit code of a command', () => {
  it('tells refusals by the plan, unknown ids and a busy server apart', () => {
    const refusals: readonly [number, string, number][] = [
      [401, 'unauthenticated', 3],
      [403, 'as_of_fenced', 3],
      [404, 'market_not_found', 4],
      [402, 'payment_required', 5],
      [429, 'export_daily_limit', 5],
      [400, 'invalid_window', 2],
      [422, 'invalid_request', 2],
      [429, 'rate_limited', 6],
      [503, 'unavailable', 6],
      [409, 'conflict', 1],
      [500, 'internal', 1],
    ];
    for (const [status, code, exit] of refusals) assert.equal(exitCodeOf(refused(status, code)), exit, code);
  });

  it('says whether the command line, the server or a file is at fault', () => {
    assert.equal(exitCodeOf(new Interrupted()), 130);
    assert.equal(exitCodeOf(new UsageError('d')), 2);
    assert.equal(exitCodeOf(new AlmanacError({ ...text, code: 'invalid_options' })), 2);
    assert.equal(exitCodeOf(new SignedOutError('d', 'r')), 3);
    assert.equal(exitCodeOf(new ConnectionError({ ...text, code: 'not_almanac' })), 6);
    assert.equal(exitCodeOf(new FileError({ ...text, code: 'disk_full' })), 7);
    assert.equal(exitCodeOf(new ExportError({ ...text, code: 'export_failed' })), 1);
    assert.equal(exitCodeOf(new TypeError('a defect')), 1);
  });
});
