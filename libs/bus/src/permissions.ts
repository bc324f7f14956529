import type { Contract, ServiceName, StreamName } from '@almanac/contracts';
import { catalogRpc, commerceRpc, exportRpc, keysRpc, serviceNames, streams, timeseriesRpc } from '@almanac/contracts';
import {
  deadLetterStream,
  durables,
  inboxOf,
  patterns,
  personalBucket,
  personalStream,
  subjects,
  type UserName,
  userNames,
} from './names.js';

/** What one NATS user may publish and subscribe to. Everything else is denied. */
export interface Permissions {
  readonly publish: readonly string[];
  /**
   * Denied although `publish` includes it. A user that follows a stream creates consumers under any name, and a
   * wildcard cannot exclude consumers of others. Without this, the gateway could consume the files that wait for the
   * export workers.
   */
  readonly deny: readonly string[];
  readonly subscribe: readonly string[];
}

interface Rights {
  readonly serves?: ServiceName;
  readonly calls?: readonly Contract[];
  readonly appends?: readonly string[];
  /** Streams it creates. No other user creates them. */
  readonly owns?: readonly StreamName[];
  readonly reads?: readonly StreamName[];
  /** Streams it follows in memory through its own consumers. */
  readonly follows?: readonly StreamName[];
  readonly consumes?: readonly { stream: StreamName; durable: string }[];
  /** Durable consumers of users that only subscribe. They cannot store dead letters. */
  readonly subscribesTo?: readonly { stream: StreamName; durable: string }[];
  /** Reads the status of processes, streams and consumers. Reads, retries, acknowledges and deletes dead letters. */
  readonly monitors?: boolean;
  /** Copies all streams and restores missing ones. */
  readonly backsUp?: boolean;
  readonly extra?: Partial<Pick<Permissions, 'publish' | 'subscribe'>>;
}

/** Create the bucket, write, read at its leader, and erase. Only one service has these rights. */
const personalRecords: readonly string[] = [
  `$KV.${personalBucket}.>`,
  ...['CREATE', 'UPDATE', 'INFO', 'MSG.GET', 'MSG.DELETE'].map(
    (operation) => `$JS.API.STREAM.${operation}.${personalStream}`,
  ),
];

const rights: Readonly<Record<UserName, Rights>> = {
  gateway: {
    calls: [
      catalogRpc.search,
      catalogRpc.categories,
      catalogRpc.listSeries,
      catalogRpc.seriesDetail,
      catalogRpc.eventDetail,
      catalogRpc.listMarkets,
      catalogRpc.marketDetail,
      catalogRpc.nearestId,
      ...Object.values(timeseriesRpc).filter(({ kind }) => kind === 'query'),
      exportRpc.create,
      exportRpc.quote,
      exportRpc.cancel,
      exportRpc.list,
      exportRpc.link,
      commerceRpc.plan,
      commerceRpc.cart,
      commerceRpc.addToCart,
      commerceRpc.removeFromCart,
      commerceRpc.checkout,
      commerceRpc.upgrade,
      commerceRpc.portal,
      commerceRpc.stripeWebhook,
      keysRpc.authenticate,
      keysRpc.checkKey,
      keysRpc.endSession,
      keysRpc.list,
      keysRpc.create,
      keysRpc.revoke,
    ],
    reads: ['EVT_EXPORT'],
    follows: ['EVT_EXPORT', 'EVT_ARCHIVE', 'EVT_KEYS', 'EVT_COMMERCE'],
    extra: { subscribe: [subjects.keysHeartbeat, patterns.allFileProgress] },
  },
  catalog: {
    serves: 'catalog',
    appends: [patterns.allOf('EVT_CATALOG'), patterns.allOf('EVT_ARCHIVE')],
    owns: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    reads: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    follows: ['EVT_CATALOG'],
    consumes: [{ stream: 'EVT_CATALOG', durable: durables.catalogReadModel }],
  },
  timeseries: {
    serves: 'timeseries',
    calls: [catalogRpc.eventDetail],
    appends: [patterns.allOf('EVT_ARCHIVE')],
    owns: ['EVT_ARCHIVE'],
    reads: ['EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_COMMERCE'],
    follows: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    consumes: [{ stream: 'EVT_ARCHIVE', durable: durables.timeseriesSettled }],
  },
  export: {
    serves: 'export',
    calls: [catalogRpc.exportTarget, commerceRpc.reserve, commerceRpc.quote],
    appends: [patterns.allOf('EVT_EXPORT'), patterns.allOf('EVT_FILE')],
    owns: ['EVT_EXPORT', 'EVT_FILE'],
    reads: ['EVT_EXPORT', 'EVT_FILE', 'EVT_ARCHIVE', 'EVT_CATALOG'],
    follows: ['EVT_EXPORT'],
    consumes: [
      { stream: 'EVT_EXPORT', durable: durables.exportFiles },
      { stream: 'EVT_EXPORT', durable: durables.exportList },
      { stream: 'EVT_FILE', durable: durables.exportCompletions },
      { stream: 'EVT_FILE', durable: durables.exportWorkers },
    ],
    extra: { publish: [patterns.allFileProgress] },
  },
  commerce: {
    serves: 'commerce',
    appends: [patterns.allOf('EVT_COMMERCE'), patterns.allOf('EVT_STRIPE'), 'evt.export.*.*'],
    owns: ['EVT_COMMERCE', 'EVT_STRIPE'],
    reads: ['EVT_COMMERCE', 'EVT_STRIPE', 'EVT_EXPORT', 'EVT_KEYS', 'EVT_CATALOG'],
    follows: ['EVT_COMMERCE'],
    consumes: [
      { stream: 'EVT_EXPORT', durable: durables.commerceExports },
      { stream: 'EVT_COMMERCE', durable: durables.commerceCheckouts },
      { stream: 'EVT_COMMERCE', durable: durables.commerceUpgrades },
      { stream: 'EVT_STRIPE', durable: durables.commerceStripe },
    ],
    extra: { publish: personalRecords },
  },
  keys: {
    serves: 'keys',
    appends: [patterns.allOf('EVT_KEYS')],
    owns: ['EVT_KEYS'],
    reads: ['EVT_KEYS', 'EVT_COMMERCE'],
    // For the server time, which the answer to a consumer creation contains.
    follows: ['EVT_KEYS'],
    extra: { publish: [subjects.keysHeartbeat] },
  },
  ingest: { calls: [catalogRpc.record, catalogRpc.awaitReadable, timeseriesRpc.store] },
  operator: {
    calls: [
      commerceRpc.openAccount,
      commerceRpc.findAccount,
      commerceRpc.listPlans,
      commerceRpc.changePlan,
      commerceRpc.eraseAccount,
      keysRpc.list,
      keysRpc.create,
      keysRpc.revoke,
    ],
    follows: ['EVT_COMMERCE', 'EVT_KEYS', 'EVT_EXPORT'],
    monitors: true,
    backsUp: true,
  },
  // For any internal team that reacts to exports, under its own names.
  subscriber: { subscribesTo: [{ stream: 'EVT_EXPORT', durable: durables.subscriber }] },
};

/** Computes the minimal permissions of a user from its rights. */
export const permissionsOf = (user: UserName): Permissions => {
  const { serves, calls = [], appends = [], owns = [], reads = [], follows = [], consumes = [] } = rights[user];
  const { subscribesTo = [], monitors = false, backsUp = false, extra } = rights[user];
  const publish = [
    ...calls.map((contract) => subjects.rpc(contract)),
    ...new Set(calls.filter(({ kind }) => kind === 'query').map(({ service }) => subjects.cancel(service))),
    ...appends,
    ...owns.flatMap(streamAdministration),
    ...reads.flatMap((stream) => [`$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.DIRECT.GET.${stream}.>`]),
    ...follows.flatMap(followSubjects),
    ...[...consumes, ...subscribesTo].flatMap(consumeSubjects),
    ...(consumes.length > 0 ? streamAdministration(deadLetterStream) : []),
    // Any reader may meet a message that is no event. The operator acknowledges such dead letters.
    ...(consumes.length + reads.length + follows.length > 0 ? [subjects.dead('*')] : []),
    ...(serves === undefined ? [] : callersOf(serves).map(repliesTo)),
    ...new Set(calls.map((contract) => repliesTo(contract.service))),
    ...(monitors ? [...monitorSubjects, ...deadLetterSubjects] : []),
    ...(backsUp ? backupSubjects : []),
    ...(servesStatus(user) || subscribesTo.length > 0
      ? userNames.filter((name) => rights[name].monitors).map(repliesTo)
      : []),
    ...(extra?.publish ?? []),
  ];
  return {
    publish: [...new Set(publish)],
    deny: follows
      .flatMap((stream) => durablesOfOthers(user, stream).flatMap(consumeOrRemoveSubjects))
      .filter((subject) => !publish.includes(subject)),
    subscribe: [
      `${inboxOf(user)}.>`,
      ...(serves === undefined ? [] : [`rpc.${serves}.v1.*`, subjects.cancel(serves)]),
      ...(servesStatus(user) ? [subjects.status] : []),
      ...[...consumes, ...subscribesTo].map(({ durable }) => subjects.retry(durable)),
      ...(extra?.subscribe ?? []),
    ],
  };
};

export const servesStatus = (user: string): boolean =>
  user === 'gateway' || serviceNames.some((service) => service === user);

/** A stream on which this user may create its own consumers, if any. */
export const followedBy = (user: string): StreamName | undefined =>
  userNames.filter((name) => name === user).flatMap((name) => rights[name].follows ?? [])[0];

/** Streams and durable consumers of a running system. Consumers of subscribers are optional and not included. */
export const expectedTopology: {
  readonly streams: readonly string[];
  readonly consumers: readonly { stream: StreamName; durable: string; user: UserName }[];
} = {
  streams: [...Object.keys(streams), deadLetterStream, personalStream],
  consumers: userNames.flatMap((user) => (rights[user].consumes ?? []).map((one) => ({ ...one, user }))),
};

/** Durable consumers whose positions a backup contains. */
export const backedUpConsumers: readonly { stream: StreamName; durable: string }[] = userNames.flatMap((user) => [
  ...(rights[user].consumes ?? []),
  ...(rights[user].subscribesTo ?? []),
]);

/** Copy every stream with the positions of its consumers, and restore missing streams. */
const backupSubjects: readonly string[] = [
  ...expectedTopology.streams.flatMap((stream) => [
    `$JS.API.STREAM.SNAPSHOT.${stream}`,
    `$JS.SNAPSHOT.ACK.${stream}.>`,
    `$JS.API.STREAM.RESTORE.${stream}`,
    `$JS.SNAPSHOT.RESTORE.${stream}.*`,
  ]),
  ...backedUpConsumers.flatMap(({ stream, durable }) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
  ]),
];

const monitorSubjects: readonly string[] = [
  subjects.status,
  ...expectedTopology.streams.map((stream) => `$JS.API.STREAM.INFO.${stream}`),
  ...expectedTopology.consumers.map(({ stream, durable }) => `$JS.API.CONSUMER.INFO.${stream}.${durable}`),
  '$JS.API.INFO',
];

const deadLetterSubjects: readonly string[] = [
  ...['GET', 'DELETE'].map((operation) => `$JS.API.STREAM.MSG.${operation}.${deadLetterStream}`),
  ...backedUpConsumers.map(({ durable }) => subjects.retry(durable)),
];

/** A service replies to callers, and callers request the chunks of a long reply at this prefix. */
const repliesTo = (user: UserName): string => `${inboxOf(user)}.>`;

const callersOf = (service: ServiceName): UserName[] =>
  userNames.filter((user) => rights[user].calls?.some((contract) => contract.service === service));

const streamAdministration = (stream: string): string[] => [
  `$JS.API.STREAM.CREATE.${stream}`,
  `$JS.API.STREAM.UPDATE.${stream}`,
  `$JS.API.STREAM.INFO.${stream}`,
];

/** An ordered consumer creates, reads and deletes consumers under its own names. */
const followSubjects = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.ACK.${stream}.>`,
];

const durablesOfOthers = (user: UserName, stream: StreamName): { stream: StreamName; durable: string }[] =>
  userNames
    .filter((other) => other !== user)
    .flatMap((other) => [...(rights[other].consumes ?? []), ...(rights[other].subscribesTo ?? [])])
    .filter((one) => one.stream === stream);

/** All operations on a durable consumer except reading its info. */
const consumeOrRemoveSubjects = ({ stream, durable }: { stream: string; durable: string }): string[] => [
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
  `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];

const consumeSubjects = ({ stream, durable }: { stream: string; durable: string }): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];
