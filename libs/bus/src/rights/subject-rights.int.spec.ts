import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allContracts, callersOf, serviceNames, type StreamName, type UserName, userNames } from '@almanac/contracts';
import type { Bus } from '../bus.js';
import { deadLetterStream, heartbeatStreams, inboxOf, personalStream, subjects, webhookStream } from '../names.js';
import { publishable, receivable } from '../testing/may-use.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
import { servedBy } from './rights.js';
import { accessByUser, allStreams } from '../testing/access-by-user.js';
import { webhookPrefix } from '../webhook-subjects.js';

/** Who may publish and subscribe to a subject. Repeated here on purpose, independently of permissions.ts. */
interface Shared {
  readonly subject: string;
  readonly publish: readonly UserName[];
  readonly received: readonly UserName[];
}

const usersWho = (does: (user: UserName) => boolean): UserName[] => userNames.filter(does);
const consumers = usersWho((user) => accessByUser[user].consumes.length > 0);
/** Whoever reads events may meet a message that is none. */
const letterWriters = usersWho((user) => {
  const { consumes, reads, follows } = accessByUser[user];
  return consumes.length + reads.length + follows.length > 0;
});
const state = (stream: StreamName, subject: string): Shared[] => [
  { subject, publish: usersWho((user) => accessByUser[user].appends.some(([own]) => own === stream)), received: [] },
];
const person = (subject: string): Shared[] => [{ subject, publish: ['commerce'], received: [] }];

/** Every subject of names.ts. A new subject there does not compile until it is listed here. */
const shared: Readonly<Record<keyof typeof subjects, readonly Shared[]>> = {
  rpc: allContracts.map((contract) => ({
    subject: subjects.rpc(contract),
    publish: callersOf(contract),
    received: [contract.service],
  })),
  cancel: serviceNames.map((service) => ({
    subject: subjects.cancel(service),
    publish: usersWho((user) =>
      allContracts.some((one) => one.service === service && one.kind === 'query' && callersOf(one).includes(user)),
    ),
    received: [service],
  })),
  market: state('EVT_CATALOG', subjects.market('M')),
  series: state('EVT_CATALOG', subjects.series('S')),
  event: state('EVT_CATALOG', subjects.event('E')),
  archive: state('EVT_ARCHIVE', subjects.archive('M')),
  keyring: state('EVT_KEYS', subjects.keyring('a')),
  webhooks: state('EVT_WEBHOOK', subjects.webhooks('a')),
  account: state('EVT_COMMERCE', subjects.account('a')),
  unlock: state('EVT_COMMERCE', subjects.unlock('a', 'E')),
  checkout: state('EVT_COMMERCE', subjects.checkout('a', '1')),
  upgrade: state('EVT_COMMERCE', subjects.upgrade('a', '1')),
  stripeEvent: state('EVT_STRIPE', subjects.stripeEvent('evt_1')),
  export: state('EVT_EXPORT', subjects.export('a', '1')),
  file: state('EVT_FILE', subjects.file('k')),
  fileWaiter: state('EVT_FILE', subjects.fileWaiter('k', '1')),
  fileUse: state('EVT_FILE', subjects.fileUse('k')),
  dataset: state('EVT_FILE', subjects.dataset('ds-1')),
  fileSweep: state('EVT_FILE', subjects.fileSweep('objects')),
  person: person(subjects.person('a')),
  personEmail: person(subjects.personEmail('hash')),
  keysHeartbeat: [{ subject: subjects.keysHeartbeat, publish: ['keys'], received: ['gateway', ...serviceNames] }],
  webhooksHeartbeat: [{ subject: subjects.webhooksHeartbeat, publish: ['webhooks'], received: ['webhooks'] }],
  fileProgress: [{ subject: subjects.fileProgress('k'), publish: ['export'], received: ['gateway'] }],
  dead: userNames.flatMap((user) =>
    accessByUser[user].consumes.map(([, durable]) => ({
      subject: subjects.dead(durable),
      publish: letterWriters,
      received: [],
    })),
  ),
  unreadable: [{ subject: subjects.unreadable('EVT_KEYS', 1), publish: letterWriters, received: [] }],
  retry: userNames.flatMap((user) =>
    [...accessByUser[user].consumes, ...accessByUser[user].subscribesTo].map(([, durable]): Shared => ({
      subject: subjects.retry(durable),
      publish: ['operator'],
      received: [user],
    })),
  ),
  backup: [...allStreams, personalStream, webhookStream].map((stream) => ({
    subject: subjects.backup(stream),
    publish: ['operator'],
    received: usersWho((user) => accessByUser[user].keeps.includes(stream)),
  })),
  discard: allStreams.map((stream) => ({
    subject: subjects.discard(stream),
    publish: ['operator'],
    received: usersWho((user) => accessByUser[user].keeps.includes(stream)),
  })),
  status: [{ subject: subjects.status, publish: ['gateway', 'operator'], received: ['gateway', ...serviceNames] }],
};

/** Which users may send a request to the server. A request without an entry is open to no user. */
const serverRequests = (): Shared[] => {
  const request = (subject: string, publish: readonly UserName[] = []): Shared => ({ subject, publish, received: [] });
  const ofStream = (stream: string, owners: readonly UserName[], readers: readonly UserName[]): Shared[] => [
    ...['CREATE', 'UPDATE'].map((act) => request(`$JS.API.STREAM.${act}.${stream}`, owners)),
    request(`$JS.API.STREAM.MSG.GET.${stream}`, readers),
    request(`$JS.API.STREAM.RESTORE.${stream}`, ['operator']),
    // Its copier has a login in the account of the stream for this.
    ...['SNAPSHOT', 'DELETE', 'PURGE', 'PEER.REMOVE', 'LEADER.STEPDOWN'].map((act) =>
      request(`$JS.API.STREAM.${act}.${stream}`),
    ),
    ...['LIST', 'NAMES'].map((act) => request(`$JS.API.CONSUMER.${act}.${stream}`)),
  ];
  return [
    ...allStreams.flatMap((stream) => {
      const owners = usersWho((user) => accessByUser[user].owns.includes(stream));
      const readers = usersWho((user) => accessByUser[user].reads.includes(stream));
      return [
        ...ofStream(stream, owners, readers),
        request(`$JS.API.DIRECT.GET.${stream}.x`, readers),
        request(`$JS.API.DIRECT.GET.${stream}`, stream === 'EVT_KEYS' ? ['keys'] : []),
        request(`$JS.API.STREAM.MSG.DELETE.${stream}`),
        // Under a name that is no durable consumer's.
        request(
          `$JS.API.CONSUMER.CREATE.${stream}.x.evt.x`,
          usersWho((user) => accessByUser[user].follows.includes(stream)),
        ),
        request(`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.x`),
      ];
    }),
    ...ofStream(deadLetterStream, consumers, ['operator']),
    request(`$JS.API.STREAM.MSG.DELETE.${deadLetterStream}`, ['operator']),
    request(`$JS.API.DIRECT.GET.${deadLetterStream}`),
    ...userNames.flatMap((user) =>
      accessByUser[user].consumes.map(([, durable]) =>
        request(`$JS.API.DIRECT.GET.${deadLetterStream}.${subjects.dead(durable)}`, [user]),
      ),
    ),
    ...heartbeatStreams.flatMap(({ name, heartbeat, mark }) => [
      ...[heartbeat, mark].map((subject) => request(subject, ['keys'])),
      ...['CREATE', 'UPDATE', 'DELETE'].map((act) => request(`$JS.API.STREAM.${act}.${name}`, ['keys'])),
      request(`$JS.API.DIRECT.GET.${name}`, ['keys']),
      ...['MSG.GET', 'SNAPSHOT', 'RESTORE', 'PURGE', 'LEADER.STEPDOWN'].map((act) =>
        request(`$JS.API.STREAM.${act}.${name}`),
      ),
    ]),
    ...ofStream(personalStream, ['commerce'], ['commerce']),
    request(`$JS.API.STREAM.MSG.DELETE.${personalStream}`, ['commerce']),
    request(`$JS.API.DIRECT.GET.${personalStream}`),
    request(`$JS.API.CONSUMER.CREATE.${personalStream}.x.${subjects.person('a')}`),
    ...[webhookStream].flatMap((stream) => [
      ...['CREATE', 'UPDATE', 'PURGE', 'MSG.GET', 'MSG.DELETE'].map((act) =>
        request(`$JS.API.STREAM.${act}.${stream}`, ['webhooks']),
      ),
      request(`$JS.API.STREAM.RESTORE.${stream}`, ['operator']),
      ...['SNAPSHOT', 'DELETE', 'PEER.REMOVE', 'LEADER.STEPDOWN'].map((act) =>
        request(`$JS.API.STREAM.${act}.${stream}`),
      ),
      request(`${webhookPrefix}.lease.1`, ['webhooks']),
    ]),
    request('$JS.API.INFO'),
    ...['STREAM.LIST', 'STREAM.NAMES', 'ACCOUNT.PURGE.$G', 'META.LEADER.STEPDOWN', 'SERVER.REMOVE'].map((act) =>
      request(`$JS.API.${act}`),
    ),
    request('$SYS.REQ.SERVER.PING'),
  ];
};

/**
 * Answers arrive in the inbox of the caller, and requests for further parts of an answer in that of the service. The
 * gateway and the operator ask each process for its status, and the operator asks for copies and repeated deliveries.
 */
const inboxes = (): Shared[] => {
  const calls = (user: UserName, service: UserName): boolean =>
    allContracts.some((contract) => contract.service === service && callersOf(contract).includes(user));
  const tellsStatus = (user: UserName): boolean => user === 'gateway' || servedBy(user) !== undefined;
  const answersOperator = (user: UserName): boolean =>
    accessByUser[user].keeps.length + accessByUser[user].subscribesTo.length > 0;
  const writesTo = (owner: UserName, user: UserName): boolean =>
    calls(owner, user) ||
    calls(user, owner) ||
    (['gateway', 'operator'].includes(owner) && tellsStatus(user)) ||
    (owner === 'operator' && answersOperator(user)) ||
    (user === 'operator' && accessByUser[owner].keeps.length > 0);
  return userNames.map((owner) => ({
    subject: `${inboxOf(owner)}.x`,
    publish: usersWho((user) => writesTo(owner, user)),
    received: [owner],
  }));
};

/** Every operation on a durable consumer: create, fetch, acknowledge, delete. */
const durableRequests = (): Shared[] =>
  userNames.flatMap((user) =>
    [...accessByUser[user].consumes, ...accessByUser[user].subscribesTo].flatMap(([stream, durable]) => [
      // A restore creates the consumer where it is missing.
      { subject: `$JS.API.CONSUMER.CREATE.${stream}.${durable}.evt.x`, publish: ['operator', user], received: [] },
      { subject: `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`, publish: [user], received: [] },
      { subject: `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, publish: [user], received: [] },
      { subject: `$JS.ACK.${stream}.${durable}.1.1.1.1.0`, publish: [user], received: [] },
      {
        subject: `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
        // Users that follow the stream may remove their own consumers, and this name is covered.
        publish: accessByUser[user].follows.includes(stream) ? [user] : [],
        received: [],
      },
    ]),
  );

describe('the subject permissions of a NATS user', () => {
  let nats: TestBus;
  const buses = new Map<UserName, Bus>();
  before(async () => {
    nats = await startTestBus();
    for (const user of userNames) buses.set(user, await nats.connect(user));
  });
  after(() => nats.stop());

  const everything = [...Object.values(shared).flat(), ...inboxes(), ...serverRequests(), ...durableRequests()];
  /** By the connection for calls or by that for streams. */
  const onEither = async (bus: Bus, may: typeof publishable): Promise<Set<string>> => {
    const all = everything.map(({ subject }) => subject);
    return new Set((await Promise.all([bus.nc, bus.streams].map((connection) => may(connection, all)))).flat());
  };
  for (const user of userNames) {
    it(`of ${user} are its own and nothing else`, async () => {
      const bus = buses.get(user) ?? assert.fail(`${user} is not connected`);
      const publishes = await onEither(bus, publishable);
      const receives = await onEither(bus, receivable);
      for (const connection of [bus.nc, bus.streams])
        assert.deepEqual(await receivable(connection, ['>', '_INBOX.>', 'evt.>', '$JS.>']), []);
      const those = (is: (shared: Shared) => boolean): string[] => everything.filter(is).map(({ subject }) => subject);
      assert.deepEqual(
        those(({ subject }) => publishes.has(subject)),
        those(({ publish }) => publish.includes(user)),
        'says',
      );
      assert.deepEqual(
        those(({ subject }) => receives.has(subject)),
        those(({ received }) => received.includes(user)),
        'hears',
      );
    });
  }
});
