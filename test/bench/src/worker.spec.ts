import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { startWorker } from './worker.js';

const answer = z.object({ text: z.string() });

describe('a worker', () => {
  it('gives each request its own answer, although an older one comes later', async () => {
    const worker = startWorker('testing/late-answer');
    const late = worker.send({ text: 'late', afterMs: 500 }, answer);
    const soon = worker.send({ text: 'soon', afterMs: 0 }, answer);
    assert.deepEqual(await Promise.all([late, soon]), [{ text: 'late' }, { text: 'soon' }]);
    await worker.stop();
  });
});
