import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { Bus } from '../bus.js';
import { retryUntilDone } from './retry-until-done.js';

/** As a leader of nats-server 2.15 refuses a stream. */
const unplaced = (reason: string): JetStreamApiError =>
  new JetStreamApiError({
    code: 400,
    err_code: 10_005,
    description: `no suitable peers for placement, ${reason}`,
  });

describe('an operation that NATS temporarily cannot do', () => {
  /** It has a connection that is open, and a process that does not wait without limit. */
  const bus = { nc: { isClosed: () => false } } as unknown as Bus;

  const attemptsUntil = async (error: Error, failures: number): Promise<number> => {
    let attempts = 0;
    await retryUntilDone(bus, { what: 'to make a stream', timeoutMs: 30_000 }, async () => {
      attempts += 1;
      if (attempts <= failures) throw error;
    });
    return attempts;
  };

  it('is repeated while servers of the cluster are offline', async () => {
    assert.equal(await attemptsUntil(unplaced('peer offline'), 2), 3);
  });

  it('is not repeated when no server of the cluster could ever do it', async () => {
    const error = unplaced('tags not matched');
    await assert.rejects(attemptsUntil(error, 1), error);
  });
});
