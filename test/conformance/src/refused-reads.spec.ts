import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusedReads } from './refused-reads.js';

describe('a read that is refused with 503', () => {
  const request = { method: 'GET', path: '/markets' };
  const answerOf = (detail: string, { code = 'unavailable', ms = 5, pause = '1' } = {}) => ({
    status: 503,
    headers: { 'retry-after': pause },
    bytes: Buffer.from(JSON.stringify({ detail, code, request_id: 'r' })),
    ms,
  });
  const busy = 'The archive is busy. Try again in a few seconds.';
  const silent = 'Part of the server is temporarily unavailable. Try again in a few seconds.';

  it('is counted if the system is busy, or nobody answered in time', () => {
    const refused = refusedReads();
    assert.equal(refused.summary(), '0 reads were refused with 503 and sent again');
    for (const answer of [answerOf(busy), answerOf(silent, { ms: 5_000 }), answerOf(busy)])
      refused.add(request, answer);
    refused.add({ ...request, method: 'HEAD' }, { ...answerOf(''), bytes: Buffer.alloc(0) });
    const counts = '2 x busy archive, 1 x call without an answer in time, 1 x HEAD';
    assert.equal(refused.summary(), `4 reads were refused with 503 and sent again: ${counts}`);
  });

  it('is a fault at once, with another code, or without a pause', () => {
    for (const answer of [
      answerOf(silent),
      answerOf(busy, { code: 'internal' }),
      answerOf('Prepared again.', { code: 'export_restoring', ms: 5_000 }),
      answerOf(busy, { pause: '0' }),
    ]) {
      assert.throws(() => refusedReads().add(request, answer), /GET \/markets answered 503/);
    }
  });
});
