import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { type NatsAccount, natsAccounts } from './accounts.js';
import { deadLetterStream, heartbeatStream, inboxOf, subjects, type UserName, userNames } from './names.js';
import { backupLoginOf, expectedTopology } from './rights.js';
import { type AttackedServer, feed, password, sendAttacks, startAttackedServer } from './testing/attacked-server.js';
import { attacksWith, mayWrite, victimOf } from './testing/forged-replies.js';
import { mayPublishOn, maySubscribeOn } from './testing/may-use.js';
import { allStreams, expectedAccess } from './testing/test-permissions.js';

const streams = expectedTopology.streams;
const keeps = (user: UserName, stream: string): boolean => expectedAccess[user].keeps.includes(stream);
/** The operator restores every stream, and copies one. */
const users = userNames.filter((user) => user === 'operator' || expectedAccess[user].keeps.length > 0);
/** In whose accounts the user has a login. */
const streamsOf = (user: UserName): string[] => streams.filter((stream) => user === 'operator' || keeps(user, stream));

/** Requests of a backup and others, of which a login may send a few. */
const requestsOf = (stream: string): string[] => [
  ...['SNAPSHOT', 'RESTORE', 'INFO', 'MSG.GET', 'CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE'].map(
    (act) => `$JS.API.STREAM.${act}.${stream}`,
  ),
  `$JS.SNAPSHOT.ACK.${stream}.>`,
  `$JS.SNAPSHOT.RESTORE.${stream}.*`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
];

/** The server waits 2 s for a subscriber of a copy, then sends it anyway. */
const copyMs = 3_000;

/** Sends all of them with every login of the user for backups. */
const attack = async (system: AttackedServer, user: UserName): Promise<void> => {
  const bus = await system.connect(user);
  for (const stream of streamsOf(user)) {
    const nc = await bus.connectTo(stream);
    await sendAttacks(nc, attacksWith(requestsOf(stream)));
    await nc.close();
  }
  await delay(copyMs);
  await feed(system);
  await bus.close();
};

/** As it was before: the operator copies each stream itself, and requests restores in the account of the stream. */
const withCopyingOperator = (): Record<string, NatsAccount> => {
  const accounts = natsAccounts(() => password, { admin: password });
  for (const stream of allStreams) {
    const account = accounts[stream] ?? assert.fail(stream);
    const user = backupLoginOf('operator', stream);
    const publish = ['SNAPSHOT', 'RESTORE'].map((act) => `$JS.API.STREAM.${act}.${stream}`);
    const login = { user, password, publish, deny: [], subscribe: [`${inboxOf('operator')}.>`] };
    accounts[stream] = { ...account, users: [...account.users.filter((one) => one.user !== user), login] };
  }
  return accounts;
};

describe('a login for backups', () => {
  for (const user of users) {
    it(`of ${user} writes into no stream to which ${user} may not append, by any API of the server`, async () => {
      const system = await startAttackedServer(natsAccounts(() => password, { admin: password }));
      try {
        await attack(system, user);
        for (const stream of streams.filter((one) => !mayWrite(user, one))) {
          assert.deepEqual(await system.forged(stream), [], `${user} wrote into ${stream}`);
        }
        for (const stream of streamsOf(user)) assert.ok(user === 'operator' || mayWrite(user, stream), stream);
      } finally {
        await system.stop();
      }
    });
  }

  it('may send what a copy or a restore of this stream needs, and nothing else', async () => {
    const system = await startAttackedServer(natsAccounts(() => password, { admin: password }));
    try {
      for (const user of users) {
        const bus = await system.connect(user);
        for (const stream of [...streams, heartbeatStream].filter((one) => !streamsOf(user).includes(one))) {
          await assert.rejects(bus.connectTo(stream), /authorization violation/i, `${user} in ${stream}`);
        }
        for (const stream of streamsOf(user)) {
          const nc = await bus.connectTo(stream);
          const needed = [
            ...(keeps(user, stream) ? [`$JS.API.STREAM.SNAPSHOT.${stream}`, `$JS.SNAPSHOT.ACK.${stream}.>`] : []),
            ...(user === 'operator' ? [`$JS.SNAPSHOT.RESTORE.${stream}.*`] : []),
          ];
          const ofOthers = streams.filter((other) => other !== stream).flatMap(requestsOf);
          const all = [...requestsOf(stream), ...ofOthers, victimOf(stream, 'x'), '$JS.API.INFO', subjects.status];
          const allowed: string[] = [];
          for (const subject of all) {
            const literal = subject.replace(/[*>]$/, 'x');
            if (await mayPublishOn(nc, literal)) allowed.push(subject);
            assert.ok(!(await maySubscribeOn(nc, literal)), `${user} hears ${subject}`);
          }
          assert.deepEqual(allowed, needed, `${user} in ${stream}`);
          await nc.close();
        }
        await bus.close();
      }
    } finally {
      await system.stop();
    }
  });

  it('of the operator would write into every stream that it copies itself', async () => {
    const system = await startAttackedServer(withCopyingOperator());
    try {
      await attack(system, 'operator');
      for (const stream of allStreams) {
        const ways = new Set((await system.forged(stream)).map((subject) => subject.split('.').at(-1)));
        for (const way of ['copy', 'copied', 'restore']) assert.ok(ways.has(way), `${way} into ${stream}`);
      }
      assert.ok(mayWrite('operator', deadLetterStream));
    } finally {
      await system.stop();
    }
  });
});
