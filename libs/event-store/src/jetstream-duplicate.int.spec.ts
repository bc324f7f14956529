import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectBus } from '@almanac/bus';
import { testNats, type TestNats } from '@almanac/testing';
import { UnknownOutcomeError } from './event-store.js';
import { jetStreamStore } from './jetstream-store.js';
import { counterEvent } from './testing/test-counter.js';

/** The answer of a cluster to a message whose id it is still storing. */
const inProcess = { error: { code: 409, err_code: 10158, description: 'duplicate message id is in process' } };

describe('an append whose id a cluster is still storing', () => {
  let nats: TestNats;
  before(async () => {
    nats = await testNats();
  });
  after(() => nats.stop());

  it('has an unknown outcome, so that it is tried again', async () => {
    const bus = await connectBus({ url: nats.url, user: 'admin' });
    const answer = JSON.stringify(inProcess);
    // No stream has this subject, so this subscription answers in its place.
    bus.nc.subscribe('evt.export.a.1', { callback: (_error, message) => void message.respond(answer) });
    await bus.nc.flush();
    try {
      const append = jetStreamStore(bus).append('evt.export.a.1', counterEvent('in-process', 1), 0);
      await assert.rejects(append, UnknownOutcomeError);
    } finally {
      await bus.close();
    }
  });
});
