import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, suspendProcess, testNats, type TestNats } from '@almanac/testing';
import { connect } from '@nats-io/transport-node';
import { leaveSilentServer } from './leave-silent-server.js';
import { nextServer } from './next-server.js';

describe('a connection to one of two servers', () => {
  let servers: TestNats[] = [];
  before(async () => {
    servers = await Promise.all([testNats({}), testNats({})]);
  });
  after(() => Promise.all(servers.map((one) => one.stop())));

  it('moves to the other one when its server is frozen, and stays while it answers', async () => {
    const addresses = servers.map(({ url }) => url.replace('nats://', ''));
    const nc = await connect({
      servers: addresses,
      noRandomize: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      reconnectToServer: (pool) => nextServer(pool),
    });
    const left: string[] = [];
    const watch = leaveSilentServer(nc, (server) => left.push(server));
    try {
      for (let n = 0; n < 5; n += 1) await nc.rtt();
      assert.deepEqual([left, nc.getServer()], [[], addresses[0]]);
      const goOn = await suspendProcess(servers[0]?.pid ?? assert.fail());
      try {
        await eventually(() => assert.equal(nc.getServer(), addresses[1]));
        // It has the name before the connection is made.
        await eventually(() => nc.rtt());
        // A busy machine may make it leave more than once.
        assert.equal(left[0], addresses[0]);
      } finally {
        goOn();
      }
    } finally {
      await watch.stop();
      await nc.close();
    }
  });
});
