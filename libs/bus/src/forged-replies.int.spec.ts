import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { type NatsAccount, natsAccounts } from './accounts.js';
import { type AdminBus, connectBus } from './bus.js';
import { deadLetterStream, personalStream, subjects, userNames } from './names.js';
import { permissionsOf } from './permissions.js';
import { expectedTopology, streamsLoginOf } from './rights.js';
import { ensureDeadLetters, ensurePersonal, ensureStream } from './streams.js';
import { appendCounts, subjectIn } from './testing/test-bus.js';
import { type Attack, attacksOf, mayWrite } from './testing/forged-replies.js';
import { allStreams } from './testing/test-permissions.js';

const password = 'test';
const streams = expectedTopology.streams;

/** Every account in one, as it was before: each user has exactly its subjects, and all share the streams. */
const oneAccount = (): Record<string, NatsAccount> => ({
  ALL: {
    jetstream: true,
    users: [
      ...userNames.flatMap((user) =>
        [user, streamsLoginOf(user)].map((login) => ({ user: login, password, ...permissionsOf(user) })),
      ),
      ...['admin', streamsLoginOf('admin')].map((user) => ({
        user,
        password,
        publish: ['>'],
        deny: [],
        subscribe: ['>'],
      })),
    ],
  },
});

/** A server with every stream. Each holds a message that is no event of others. */
const startServer = async (accounts: Record<string, NatsAccount>) => {
  const server: TestNats = await testNats({ accounts });
  const connect = (user: string): Promise<AdminBus> => connectBus({ url: server.url, user, password });
  const admin = await connect('admin');
  for (const stream of allStreams) {
    await ensureStream(admin, stream);
    await appendCounts(admin, subjectIn(stream, 'seed'), [1, 3]);
  }
  await ensureDeadLetters(admin);
  await ensurePersonal(admin);
  await admin.js.publish(subjects.dead('seed'), 'seed');
  await admin.js.publish(subjects.person('seed'), 'seed');
  for (const { stream, durable } of expectedTopology.consumers) {
    await admin.jsm.consumers.add(stream, { durable_name: durable, ack_policy: 'explicit' });
  }
  /** Subjects of a stream that hold a forged message. */
  const forged = async (stream: string): Promise<string[]> => {
    const { state } = await admin.jsm.streams.info(stream, { subjects_filter: '>' });
    return Object.keys(state.subjects ?? {}).filter((subject) => subject.includes('victim'));
  };
  return { server, admin, connect, forged, stop: async () => (await admin.close(), server.stop()) };
};

/** Sends every request and waits until the server has handled and answered them. */
const send = async (nc: NatsConnection, attacks: readonly Attack[]): Promise<void> => {
  for (const { subject, body, reply } of attacks) {
    nc.publish(subject, body, { reply });
    // nats-server 2.11 and later report the way of such a message to the subject.
    const traced = headers();
    traced.set('Nats-Trace-Dest', reply);
    nc.publish(subject, body, { headers: traced });
  }
  await nc.flush();
  await delay(50);
  await nc.flush();
};

describe('a forged reply subject', () => {
  for (const user of userNames) {
    it(`lets ${user} write into no stream of others, by any API of the server`, async () => {
      const system = await startServer(natsAccounts(() => password, { admin: password }));
      try {
        let calls = 0;
        system.admin.nc.subscribe('rpc.>', { callback: () => void (calls += 1) });
        await system.admin.nc.flush();
        const bus = await system.connect(user);
        const attacks = attacksOf(user);
        await send(bus.streams, attacks);
        await feed(system);
        for (const stream of streams.filter((one) => !mayWrite(user, one))) {
          assert.deepEqual(await system.forged(stream), [], `${user} wrote into ${stream}`);
        }
        assert.equal(calls, 0);
        await bus.close();
      } finally {
        await system.stop();
      }
    });
  }

  it('reaches no stream in the account of calls, whatever answers', async () => {
    const system = await startServer(natsAccounts(() => password, { admin: password }));
    try {
      let answered = 0;
      const echo = {
        callback: (_: unknown, message: { respond: (data: string) => boolean }) =>
          void (message.respond('{}'), (answered += 1)),
      };
      for (const subject of ['rpc.>', 'cancel.>', subjects.status, 'retry.>']) system.admin.nc.subscribe(subject, echo);
      await system.admin.nc.flush();
      for (const user of userNames) {
        const bus = await system.connect(user);
        await send(bus.nc, attacksOf(user));
        await bus.close();
      }
      await eventually(() => assert.ok(answered > 100));
      for (const stream of streams) assert.deepEqual(await system.forged(stream), [], stream);
    } finally {
      await system.stop();
    }
  });

  it('reaches the streams of others where all users share an account', async () => {
    const system = await startServer(oneAccount());
    try {
      for (const user of ['gateway', 'subscriber', 'keys'] as const) {
        const bus = await system.connect(user);
        await send(bus.streams, attacksOf(user));
        await bus.close();
      }
      await feed(system);
      for (const stream of [
        'EVT_CATALOG',
        'EVT_COMMERCE',
        'EVT_EXPORT',
        'EVT_STRIPE',
        deadLetterStream,
        personalStream,
      ]) {
        const found = await system.forged(stream);
        assert.ok(found.length > 0, stream);
      }
      const ways = (await system.forged('EVT_COMMERCE')).map((subject) => subject.split('.').at(-1));
      for (const way of ['info', 'get', 'create', 'next', 'push'])
        assert.ok(ways.includes(way), `${way}: ${ways.join()}`);
    } finally {
      await system.stop();
    }
  });
});

/** New events, which push consumers, republishing streams and sources would pass on. */
const feed = async ({ admin }: { admin: AdminBus }): Promise<void> => {
  for (const stream of allStreams) await appendCounts(admin, subjectIn(stream, 'seed'), [4, 5]);
  await delay(100);
  await admin.streams.flush();
};
