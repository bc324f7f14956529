import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { suspendProcess } from '@almanac/testing';
import { type AdminBus, type Bus, isPermissionViolation } from './bus.js';
import { acknowledgedUpTo, lastMessage, lastMessageFromReplica, messageAt, streamState } from './jetstream-reads.js';
import { subjects } from './names.js';
import { ensureStream } from './streams.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';

const reads: Readonly<Record<string, (bus: Bus) => Promise<unknown>>> = {
  'the last message of a subject': (bus) => lastMessage(bus, 'EVT_CATALOG', subjects.market('A')),
  'the last message at a replica': (bus) => lastMessageFromReplica(bus, 'EVT_CATALOG', subjects.market('A')),
  'a message by its sequence': (bus) => messageAt(bus, 'EVT_CATALOG', 1),
  'the state of a stream': (bus) => streamState(bus, 'EVT_CATALOG'),
  'the position of a consumer': (bus) => acknowledgedUpTo(bus, 'EVT_CATALOG', 'none'),
};

describe('reads of JetStream', () => {
  let nats: TestBus;
  let catalog: AdminBus;
  before(async () => {
    nats = await startTestBus();
    catalog = await nats.connect('catalog');
    await ensureStream(catalog, 'EVT_CATALOG');
  });
  after(() => nats.stop());

  it('are unavailable while the server is frozen', async () => {
    const resume = await suspendProcess(nats.server.pid);
    try {
      const outcomes = await Promise.allSettled(Object.values(reads).map((read) => read(catalog)));
      for (const [index, name] of Object.keys(reads).entries()) {
        const outcome = outcomes[index];
        assert.ok(outcome?.status === 'rejected', name);
        assert.ok(outcome.reason instanceof DomainError && outcome.reason.code === 'unavailable', name);
      }
    } finally {
      resume();
    }
  });

  it('report a missing permission as it is', async () => {
    const keys = await nats.connect('keys');
    await assert.rejects(lastMessage(keys, 'EVT_CATALOG', subjects.market('A')), isPermissionViolation);
  });

  it('are the only ones that a service can make', () => {
    const bus: Bus = catalog;
    // @ts-expect-error -- a service has no JetStream client of its own
    assert.ok(bus.jsm, 'the clients of an admin connection are there, but not in the type of a service');
  });
});
