import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportResponse } from '@almanac/contracts';
import type { ApiClient } from '../api.js';
import { answerOf, retryUntilFinal, type RetryContext } from './retry.js';

const timeoutMs = 180_000;

/** Waits for an export during faults. It must become ready. */
export const isReady = async (
  context: RetryContext,
  who: Parameters<typeof retryUntilFinal>[1],
  id: string,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { status, error } = answerOf(exportResponse, await retryUntilFinal(context, who, `/exports/${id}`));
    if (status !== 'pending') return assert.equal(status, 'ready', error ?? '');
    if (performance.now() > deadline) assert.fail(`the export ${id} is pending for ${timeoutMs / 1_000} s`);
    await delay(100);
  }
};

/** Asserts that the export is ready, and that its file exists completely. */
export const assertFileStored = async (api: ApiClient, id: string): Promise<void> => {
  const state = await api.json(exportResponse, `/exports/${id}`);
  assert.equal(state.status, 'ready', state.error ?? '');
  const { status, bytes } = await api.send(`/exports/${id}/file`);
  assert.deepEqual([status, bytes.length], [200, state.bytes]);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), state.sha256);
};
