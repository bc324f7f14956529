import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { type NatsAccount, natsAccounts } from './accounts.js';
import { deadLetterStream, personalStream, subjects, userNames } from './names.js';
import { permissionsOf } from './permissions.js';
import { expectedTopology, streamsLoginOf } from './rights.js';
import { feed, password, sendAttacks, startAttackedServer } from './testing/attacked-server.js';
import { attacksOf, mayWrite } from './testing/forged-replies.js';

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

describe('a forged reply subject', () => {
  for (const user of userNames) {
    it(`lets ${user} write into no stream of others, by any API of the server`, async () => {
      const system = await startAttackedServer(natsAccounts(() => password, { admin: password }));
      try {
        let calls = 0;
        system.admin.nc.subscribe('rpc.>', { callback: () => void (calls += 1) });
        await system.admin.nc.flush();
        const bus = await system.connect(user);
        const attacks = attacksOf(user);
        await sendAttacks(bus.streams, attacks);
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
    const system = await startAttackedServer(natsAccounts(() => password, { admin: password }));
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
        await sendAttacks(bus.nc, attacksOf(user));
        await bus.close();
      }
      await eventually(() => assert.ok(answered > 100));
      for (const stream of streams) assert.deepEqual(await system.forged(stream), [], stream);
    } finally {
      await system.stop();
    }
  });

  it('reaches the streams of others where all users share an account', async () => {
    const system = await startAttackedServer(oneAccount());
    try {
      for (const user of ['gateway', 'subscriber', 'keys'] as const) {
        const bus = await system.connect(user);
        // The second time, all consumers exist from which messages are requested.
        for (let round = 0; round < 2; round += 1) await sendAttacks(bus.streams, attacksOf(user));
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
