import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readWithIdleTimeout } from './read-with-idle-timeout.js';

describe('the reader of a file in the object store', () => {
  it('does not count the time in which its client is slow', async () => {
    const source = new PassThrough();
    for (let chunk = 0; chunk < 3; chunk += 1) source.write(Buffer.alloc(50_000, 'x'));
    source.end(Buffer.alloc(50_000, 'x'));
    let total = 0;
    for await (const chunk of readWithIdleTimeout(source, 50)) {
      total += chunk.length;
      await delay(150);
    }
    assert.equal(total, 200_000);
  });

  it('ends a source that falls silent while its client waits', async () => {
    const source = new PassThrough();
    source.write('begin');
    const chunks = readWithIdleTimeout(source, 50);
    assert.equal((await chunks.next()).value?.toString(), 'begin');
    await assert.rejects(chunks.next(), /fell silent/);
    assert.ok(source.destroyed);
  });

  it('ends the source when its client leaves', async () => {
    const source = new PassThrough();
    source.write('begin');
    const chunks = readWithIdleTimeout(source, 10_000);
    await chunks.next();
    await chunks.return();
    assert.ok(source.destroyed);
  });
});
