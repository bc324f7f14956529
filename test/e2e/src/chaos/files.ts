import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportResponse } from '@almanac/contracts';
import type { ApiClient } from '../api.js';
import { answerOf, insist, type Insisting } from './insist.js';

const patienceMs = 180_000;

/** Waits for an export while things break; it must become ready. */
export const isReady = async (asking: Insisting, who: Parameters<typeof insist>[1], id: string): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { status, error } = answerOf(exportResponse, await insist(asking, who, `/exports/${id}`));
    if (status !== 'pending') return assert.equal(status, 'ready', error ?? '');
    if (performance.now() > deadline) assert.fail(`the export ${id} is pending for ${patienceMs / 1_000} s`);
    await delay(100);
  }
};

/** The export is ready, and its file is there, whole. */
export const haveFile = async (api: ApiClient, id: string): Promise<void> => {
  const state = await api.json(exportResponse, `/exports/${id}`);
  assert.equal(state.status, 'ready', state.error ?? '');
  const { status, bytes } = await api.send(`/exports/${id}/file`);
  assert.deepEqual([status, bytes.length], [200, state.bytes]);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), state.sha256);
};
