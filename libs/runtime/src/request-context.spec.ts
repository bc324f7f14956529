import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { createLogger } from './logger.js';
import { beginSpan, inSpan } from './tracing.js';
import { runInRequestContext } from './request-context.js';

describe('the request context', () => {
  const logging = () => {
    const ids: unknown[] = [];
    const log = createLogger('keys', 'info', {
      write: (line) => void ids.push((JSON.parse(line) as Record<string, unknown>)['request_id']),
    });
    return { log, ids };
  };

  it('is in each line that is logged within it, however deep, and in no other', async () => {
    const { log, ids } = logging();
    const handle = async (): Promise<void> => {
      await delay(1);
      log.child({ part: 'deep' }).info('x');
    };
    const works = ['one', 'other'].map((requestId) => runInRequestContext({ requestId, span: undefined }, handle));
    log.info('x');
    await Promise.all(works);
    assert.deepEqual(new Set(ids), new Set(['one', 'other', undefined]));
    assert.equal(ids.length, 3);
  });

  it('has no spans, and logs nothing about them, without a collector', async () => {
    const logged = (): never => assert.fail('nobody wants to know');
    assert.equal(beginSpan(logged, logged), undefined);
    assert.equal(
      await runInRequestContext({ requestId: 'r', span: undefined }, () => inSpan(logged, async () => 'done')),
      'done',
    );
  });
});
