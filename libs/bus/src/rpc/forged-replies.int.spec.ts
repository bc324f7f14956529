import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { type UserName, userNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type NatsAccount, natsAccounts } from '../rights/accounts.js';
import type { AdminBus } from '../bus.js';
import { deadLetterStream, heartbeatStream, inboxOf, personalStream, subjects } from '../names.js';
import { permissionsOf } from '../rights/permissions.js';
import { backupLoginOf, expectedTopology, streamsLoginOf } from '../rights/rights.js';
import { type AttackedServer, feed, password, sendAttacks, startAttackedServer } from '../testing/attacked-server.js';
import { type Attack, attacksOf, attacksWith, mayWrite, victimOf } from '../testing/forged-replies.js';
import { publishable, receivable } from '../testing/may-use.js';
import { allStreams, accessByUser } from '../testing/access-by-user.js';
import { webhookPrefix } from '../webhook-subjects.js';

const streams = expectedTopology.streams;
const keeps = (user: UserName, stream: string): boolean => accessByUser[user].keeps.includes(stream);
/** Users with logins for backups. The operator restores every stream, and copies one. */
const copiers = userNames.filter((user) => user === 'operator' || accessByUser[user].keeps.length > 0);
/** In whose accounts the user has a login for backups. */
const streamsOf = (user: UserName): string[] => streams.filter((stream) => user === 'operator' || keeps(user, stream));
/** The connection for streams may send these. That for calls may send the others. */
const isOfStream = ({ subject }: Attack): boolean =>
  new RegExp(`^(?:[$]JS|evt|dead|[$]KV|${webhookPrefix})\\.`).test(subject);
const asCopier = (user: UserName): string => `copier-${user}`;
const inCalls = (user: UserName): string => `calls-${user}`;

/** Requests of a backup and others, of which a login for backups may send a few. */
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
const attackAsCopier = async (system: AttackedServer, user: UserName): Promise<void> => {
  const bus = await system.connect(user);
  for (const stream of streamsOf(user)) {
    const nc = await bus.connectTo(stream);
    await sendAttacks(nc, attacksWith(requestsOf(stream), asCopier(user)));
    await nc.close();
  }
  await bus.close();
};

/** Every account in one, as it was before: each user has exactly its subjects, and all share the streams. */
const oneAccount = (): Record<string, NatsAccount> => {
  const all = { password, publish: ['>'], deny: [], subscribe: ['>'] };
  const loginsOf = (user: UserName) =>
    [user, streamsLoginOf(user)].map((login) => ({ user: login, password, ...permissionsOf(user) }));
  const admins = ['admin', streamsLoginOf('admin')].map((user) => ({ ...all, user }));
  return { ALL: { jetstream: true, users: [...userNames.flatMap(loginsOf), ...admins] } };
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

describe('a forged reply subject', () => {
  let system: AttackedServer;
  let calls = 0;
  before(async () => {
    system = await startAttackedServer(natsAccounts(() => password, { admin: password }));
    const counting = system.admin.nc.subscribe('rpc.>', { callback: () => void (calls += 1) });
    await system.admin.nc.flush();
    const attackers: AdminBus[] = [];
    for (const user of userNames) {
      const bus = await system.connect(user);
      await sendAttacks(bus.streams, attacksOf(user).filter(isOfStream));
      attackers.push(bus);
    }
    for (const user of copiers) await attackAsCopier(system, user);
    await delay(copyMs);
    await feed(system);
    counting.unsubscribe();
    for (const bus of attackers) await bus.close();
  });
  after(() => system.stop());

  for (const user of userNames) {
    it(`lets ${user} write into no stream of others, by any API of the server`, async () => {
      for (const stream of streams.filter((one) => !mayWrite(user, one))) {
        assert.deepEqual(await system.forged(stream, user), [], `${user} wrote into ${stream}`);
      }
    });
  }

  for (const user of copiers) {
    it(`lets the logins of ${user} for backups write into no stream to which ${user} may not append`, async () => {
      for (const stream of streams.filter((one) => !mayWrite(user, one))) {
        assert.deepEqual(await system.forged(stream, asCopier(user)), [], `${user} wrote into ${stream}`);
      }
      for (const stream of streamsOf(user)) assert.ok(user === 'operator' || mayWrite(user, stream), stream);
    });
  }

  it('calls no service', () => assert.equal(calls, 0));

  it('reaches no stream in the account of calls, whatever answers', async () => {
    let answered = 0;
    const echo = {
      callback: (_: unknown, message: { respond: (data: string) => boolean }) =>
        void (message.respond('{}'), (answered += 1)),
    };
    for (const subject of ['rpc.>', 'cancel.>', subjects.status, 'retry.>']) system.admin.nc.subscribe(subject, echo);
    await system.admin.nc.flush();
    for (const user of userNames) {
      const bus = await system.connect(user);
      // Whoever answers answers any body.
      const attacks = attacksOf(user, inCalls(user)).filter((one) => !isOfStream(one) && one.body === '');
      await sendAttacks(bus.nc, attacks);
      await bus.close();
    }
    await eventually(() => assert.ok(answered > 100));
    for (const stream of streams) {
      for (const user of userNames) assert.deepEqual(await system.forged(stream, inCalls(user)), [], stream);
    }
  });

  it('is refused to a login for backups, as is all that no copy or restore of its stream needs', async () => {
    for (const user of copiers) {
      const bus = await system.connect(user);
      for (const stream of [...streams, heartbeatStream].filter((one) => !streamsOf(user).includes(one))) {
        await assert.rejects(bus.connectTo(stream), /authorization violation/i, `${user} in ${stream}`);
      }
      for (const stream of streamsOf(user)) {
        const needed = [
          ...(keeps(user, stream) ? [`$JS.API.STREAM.SNAPSHOT.${stream}`, `$JS.SNAPSHOT.ACK.${stream}.>`] : []),
          ...(user === 'operator' ? [`$JS.SNAPSHOT.RESTORE.${stream}.*`] : []),
        ];
        const all = [...streams.flatMap(requestsOf), victimOf(stream, 'x', 'x'), '$JS.API.INFO', subjects.status];
        const literals = all.map((subject) => subject.replace(/[*>]$/, 'x'));
        const nc = await bus.connectTo(stream);
        const published = await publishable(nc, literals);
        const received = await receivable(nc, literals);
        await nc.close();
        assert.deepEqual(
          all.filter((_, at) => published.includes(literals[at] ?? '')),
          needed,
          `${user} in ${stream}`,
        );
        assert.deepEqual(received, [], `${user} hears`);
      }
    }
  });
});

describe('the attacks with forged reply subjects', () => {
  it('reach the streams of others where all users share an account', async () => {
    const system = await startAttackedServer(oneAccount());
    try {
      const attackers = ['gateway', 'subscriber', 'keys'] as const;
      for (const user of attackers) {
        const bus = await system.connect(user);
        // The second time, all consumers exist from which messages are requested.
        for (let round = 0; round < 2; round += 1) await sendAttacks(bus.streams, attacksOf(user).filter(isOfStream));
        await bus.close();
      }
      await feed(system);
      const waysInto = async (stream: string): Promise<(string | undefined)[]> => {
        const found = await Promise.all(attackers.map((user) => system.forged(stream, user)));
        return found.flat().map((subject) => subject.split(/[.-]/).at(-1));
      };
      for (const stream of [
        'EVT_CATALOG',
        'EVT_COMMERCE',
        'EVT_EXPORT',
        'EVT_STRIPE',
        deadLetterStream,
        personalStream,
      ])
        assert.ok((await waysInto(stream)).length > 0, stream);
      const ways = await waysInto('EVT_COMMERCE');
      for (const way of ['info', 'get', 'create', 'next', 'push'])
        assert.ok(ways.includes(way), `${way}: ${ways.join()}`);
    } finally {
      await system.stop();
    }
  });

  it('reach every stream that the operator copies itself', async () => {
    const system = await startAttackedServer(withCopyingOperator());
    try {
      await attackAsCopier(system, 'operator');
      await delay(copyMs);
      await feed(system);
      for (const stream of allStreams) {
        const forged = await system.forged(stream, asCopier('operator'));
        const ways = new Set(forged.map((subject) => subject.split('.').at(-1)));
        for (const way of ['copy', 'copied', 'restore']) assert.ok(ways.has(way), `${way} into ${stream}`);
      }
      assert.ok(mayWrite('operator', deadLetterStream));
    } finally {
      await system.stop();
    }
  });
});
