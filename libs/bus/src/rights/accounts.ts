import { streams, type UserName, userNames } from '@almanac/contracts';
import {
  deadLetterStream,
  heartbeatStream,
  heartbeatStreams,
  inboxOf,
  personalBucket,
  personalStream,
  webhookStream,
} from '../names.js';
import { deliverySubjects, webhookPrefix } from '../webhook-subjects.js';
import { eventStream, serverSubjects } from '../partitions.js';
import { backupPermissionsOf, type Permissions, permissionsOf } from './permissions.js';
import { backupLoginOf, expectedTopology, readsOfReplicas, streamsLoginOf } from './rights.js';

/** One login of a NATS account. */
export interface NatsLogin extends Permissions {
  readonly user: string;
  readonly password: string;
}

/** An account of NATS, a space of subjects of its own. A message leaves it only through imports. */
export interface NatsAccount {
  readonly users: readonly NatsLogin[];
  /** Whether it may have streams. */
  readonly jetstream?: boolean;
  /** Requests that other accounts may send to it. A pull is answered several times. */
  readonly exports?: readonly { service: string; accounts: readonly string[]; response_type?: 'stream' }[];
  readonly imports?: readonly { account: string; service: string }[];
}

/** The account of RPC calls, heartbeats, progress and status. No stream listens in it. */
const callsAccount = 'CALLS';

/** Each has an account. The streams of heartbeats exist only in a cluster, and share one. */
const accountStreams: readonly string[] = [...expectedTopology.streams, heartbeatStream];

/**
 * nats-server gives every account without streams its own JetStream API, which would answer a second time: that JetStream is
 * off. It does not, if the account imports this subject. Nobody answers it, and no user may publish it.
 */
const noOwnApi = { account: callsAccount, service: '$JS.API.INFO' };

/**
 * Computes the accounts of NATS from the rights. JetStream answers on any reply subject with the server's own rights.
 * Each stream therefore has an account of its own, and each user an account for its connection to the streams, which
 * imports exactly what the user may do. A forged reply subject then reaches only what that user may publish anyway.
 *
 * `admins` are logins with all rights, for tests. A test may give them to a user of the system. All partitions of an event
 * stream are in its account.
 */
export const natsAccounts = (
  passwordOf: (user: UserName) => string,
  admins: Readonly<Record<string, string>> = {},
  partitions = 1,
): Record<string, NatsAccount> => {
  const users = [
    ...userNames
      .filter((user) => !(user in admins))
      .map((user) => loginsOf(user, { password: passwordOf(user), partitions })),
    ...Object.entries(admins).map(([user, password]) => adminOf(user, { password, partitions })),
  ];
  const importers = (account: string, subject: string): string[] =>
    users
      .filter(({ imports }) => imports.some((one) => one.account === account && one.service === subject))
      .map(({ account: name }) => name);
  const exportsOf = (account: string): NonNullable<NatsAccount['exports']> =>
    [
      ...new Set(
        users.flatMap(({ imports }) => imports.filter((one) => one.account === account)).map(({ service }) => service),
      ),
    ].map((service) => ({
      service,
      accounts: importers(account, service),
      ...(hasSeveralAnswers(service) ? { response_type: 'stream' as const } : {}),
    }));
  return {
    [callsAccount]: { users: users.map(({ calls }) => calls), exports: exportsOf(callsAccount) },
    ...Object.fromEntries(
      users.map(({ account, streamsLogin, imports }) => [account, { users: [streamsLogin], imports }]),
    ),
    ...Object.fromEntries(
      accountStreams.map((stream) => [
        stream,
        { users: users.flatMap(({ backup }) => backup(stream)), jetstream: true, exports: exportsOf(stream) },
      ]),
    ),
  };
};

interface UserAccount {
  readonly account: string;
  readonly calls: NatsLogin;
  readonly streamsLogin: NatsLogin;
  readonly imports: readonly { account: string; service: string }[];
  /** Logins in the account of a stream. */
  readonly backup: (stream: string) => NatsLogin[];
}

const loginsOf = (user: UserName, { password, partitions }: { password: string; partitions: number }): UserAccount => {
  const { publish, deny, subscribe } = permissionsOf(user, partitions);
  const isOfStream = (subject: string): boolean => importOf(subject) !== undefined;
  return {
    account: user,
    calls: { user, password, publish: publish.filter((subject) => !isOfStream(subject)), deny: [], subscribe },
    streamsLogin: {
      user: streamsLoginOf(user),
      password,
      publish: publish.filter(isOfStream),
      deny,
      subscribe: [`${inboxOf(user)}.>`],
    },
    imports: [noOwnApi, ...widest(publish).flatMap((service) => importOf(service) ?? [])],
    backup: (stream) => {
      const ofBackup = backupPermissionsOf(user, stream, partitions);
      return ofBackup.publish.length === 0 ? [] : [{ user: backupLoginOf(user, stream), password, ...ofBackup }];
    },
  };
};

const adminOf = (user: string, { password, partitions }: { password: string; partitions: number }): UserAccount => {
  const all = { password, publish: ['>'], deny: [], subscribe: ['>'] };
  return {
    account: user,
    calls: { ...all, user },
    streamsLogin: { ...all, user: streamsLoginOf(user) },
    imports: [
      noOwnApi,
      ...accountStreams.flatMap((stream) =>
        allSubjectsOf(stream)
          .flatMap((subject) => serverSubjects({ partitions }, subject))
          .map((service) => ({ account: stream, service })),
      ),
    ],
    backup: (stream) => [{ ...all, user: backupLoginOf(user, stream) }],
  };
};

const hasSeveralAnswers = (service: string): boolean =>
  service.startsWith('$JS.API.CONSUMER.MSG.NEXT.') || service === readsOfReplicas;

/** Which account answers a subject. Undefined: the account of calls. */
const importOf = (service: string): { account: string; service: string } | undefined => {
  const account = accountStreams.find((stream) => belongsTo(service.split('.'), stream));
  return account === undefined ? undefined : { account, service };
};

const belongsTo = (tokens: readonly string[], stream: string): boolean => {
  const [first, second] = tokens;
  if (first === '$JS') return tokens.some((token) => accountOfStream(token) === stream);
  if (first === 'dead') return stream === deadLetterStream;
  if (first === '$KV') return stream === personalStream;
  if (first === 'stored') return stream === heartbeatStream;
  if (first === webhookPrefix) return stream === webhookStream;
  return first === 'evt' && Object.entries(streams).some(([name, token]) => name === stream && token === second);
};

const accountOfStream = (name: string): string =>
  heartbeatStreams.some((one) => one.name === name) ? heartbeatStream : eventStream(name);

/** Without subjects that another one includes. A request that matches two imports would arrive twice. */
const widest = (patterns: readonly string[]): string[] =>
  patterns.filter((subject) => !patterns.some((other) => other !== subject && includes(other, subject)));

/** Whether every subject of the pattern `narrow` matches `wide`. */
const includes = (wide: string, narrow: string): boolean => {
  const [outer, inner] = [wide.split('.'), narrow.split('.')];
  if (outer.at(-1) !== '>')
    return outer.length === inner.length && outer.every((token, at) => covers(token, inner[at]));
  return inner.length >= outer.length && outer.slice(0, -1).every((token, at) => covers(token, inner[at]));
};

const covers = (token: string, other: string | undefined): boolean =>
  token === other || (token === '*' && other !== '>');

/** The streams of an account, without partitions. */
const namesIn = (account: string): string[] =>
  account === heartbeatStream ? heartbeatStreams.map(({ name }) => name) : [account];

/** Everything about a stream, without overlaps. */
const allSubjectsOf = (stream: string): string[] => [
  ...Object.entries(streams).flatMap(([name, token]) => (name === stream ? [`evt.${token}.>`] : [])),
  ...(stream === deadLetterStream ? ['dead.*'] : []),
  ...(stream === personalStream ? [`$KV.${personalBucket}.>`] : []),
  ...(stream === webhookStream ? [deliverySubjects.all] : []),
  ...(stream === heartbeatStream ? ['stored.>'] : []),
  ...namesIn(stream).flatMap((name) => [
    `$JS.API.STREAM.*.${name}`,
    `$JS.API.STREAM.MSG.*.${name}`,
    `$JS.API.STREAM.LEADER.*.${name}`,
    `$JS.API.DIRECT.GET.${name}`,
  ]),
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.*.${stream}`,
  `$JS.API.CONSUMER.*.${stream}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.ACK.${stream}.>`,
];
