import {
  allContracts,
  callersOf,
  type Contract,
  type ServiceName,
  serviceNames,
  type StreamName,
  streams,
  type UserName,
  userNames,
} from '@almanac/contracts';
import { heartbeatSubjects } from '../heartbeat-subjects.js';
import {
  deadLetterStream,
  durables,
  patterns,
  personalBucket,
  personalStream,
  subjects,
  webhookStream,
} from '../names.js';
import { webhookSubjects } from '../webhook-subjects.js';

/** Their answers say how far the replica is (`lastInReplica`). */
export const readsOfReplicas = '$JS.API.DIRECT.GET.EVT_KEYS';

/** What a user does beside its calls, which the contracts name. Its permissions follow from both. */
export interface Rights {
  readonly appends?: readonly string[];
  /** Streams it creates. No other user creates them. */
  readonly owns?: readonly StreamName[];
  readonly reads?: readonly StreamName[];
  /** Streams it follows in memory through its own consumers. */
  readonly follows?: readonly StreamName[];
  readonly consumes?: readonly { stream: StreamName; durable: string }[];
  /** Durable consumers of users that only subscribe. They cannot store dead letters. */
  readonly subscribesTo?: readonly { stream: StreamName; durable: string }[];
  /** Reads the status of processes. */
  readonly seesProcesses?: boolean;
  /** Reads the status of streams and consumers. Reads, retries, acknowledges and deletes dead letters. */
  readonly monitors?: boolean;
  /**
   * Streams that it copies for backups, and whose newer events it discards, on request of the operator. It may append to
   * all subjects of each, because nats-server sends a copy to any subject in the account of the stream, even to those
   * that the stream stores.
   */
  readonly keeps?: readonly string[];
  /** Requests copies of all streams, restores missing ones, and has newer events discarded. */
  readonly backsUp?: boolean;
  readonly extra?: { readonly publish?: readonly string[]; readonly subscribe?: readonly string[] };
}

/** Create the bucket, write, read at its leader, and erase. Only one service has these rights. */
const personalRecords: readonly string[] = [
  `$KV.${personalBucket}.>`,
  ...['CREATE', 'UPDATE', 'INFO', 'MSG.GET', 'MSG.DELETE'].map(
    (operation) => `$JS.API.STREAM.${operation}.${personalStream}`,
  ),
];

const consumersOf = (stream: StreamName, ...names: readonly string[]): { stream: StreamName; durable: string }[] =>
  names.map((durable) => ({ stream, durable }));

export const rights: Readonly<Record<UserName, Rights>> = {
  gateway: {
    // For the page of the operator. It gets no right to a stream: each service answers for its own.
    seesProcesses: true,
    reads: ['EVT_EXPORT'],
    follows: ['EVT_EXPORT', 'EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_KEYS', 'EVT_COMMERCE'],
    extra: { subscribe: [patterns.allFileProgress] },
  },
  catalog: {
    appends: [patterns.allOf('EVT_CATALOG'), patterns.allOf('EVT_ARCHIVE')],
    owns: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    keeps: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    reads: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    follows: ['EVT_CATALOG'],
    consumes: [{ stream: 'EVT_CATALOG', durable: durables.catalogReadModel }],
  },
  timeseries: {
    appends: [patterns.allOf('EVT_ARCHIVE')],
    owns: ['EVT_ARCHIVE'],
    reads: ['EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_COMMERCE'],
    follows: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    consumes: consumersOf('EVT_ARCHIVE', durables.timeseriesSettled, durables.timeseriesTrades),
  },
  export: {
    appends: [patterns.allOf('EVT_EXPORT'), patterns.allOf('EVT_FILE')],
    owns: ['EVT_EXPORT', 'EVT_FILE'],
    keeps: ['EVT_EXPORT', 'EVT_FILE'],
    reads: ['EVT_EXPORT', 'EVT_FILE', 'EVT_ARCHIVE', 'EVT_CATALOG'],
    follows: ['EVT_EXPORT'],
    consumes: [
      ...consumersOf('EVT_EXPORT', durables.exportFiles, durables.exportList),
      ...consumersOf('EVT_FILE', durables.exportCompletions, durables.exportWorkers),
    ],
    extra: { publish: [patterns.allFileProgress] },
  },
  commerce: {
    appends: [patterns.allOf('EVT_COMMERCE'), patterns.allOf('EVT_STRIPE'), 'evt.export.*.*'],
    owns: ['EVT_COMMERCE', 'EVT_STRIPE'],
    keeps: ['EVT_COMMERCE', 'EVT_STRIPE', personalStream],
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
    appends: [patterns.allOf('EVT_KEYS')],
    owns: ['EVT_KEYS'],
    keeps: ['EVT_KEYS'],
    reads: ['EVT_KEYS', 'EVT_COMMERCE'],
    // For the server time, which the answer to a consumer creation contains.
    follows: ['EVT_KEYS'],
    extra: { publish: [subjects.keysHeartbeat, ...heartbeatSubjects, readsOfReplicas] },
  },
  webhooks: {
    appends: [patterns.allOf('EVT_WEBHOOK')],
    owns: ['EVT_WEBHOOK'],
    keeps: ['EVT_WEBHOOK', webhookStream],
    reads: ['EVT_WEBHOOK', 'EVT_EXPORT', 'EVT_CATALOG', 'EVT_ARCHIVE'],
    follows: ['EVT_WEBHOOK'],
    consumes: [
      { stream: 'EVT_EXPORT', durable: durables.webhookExports },
      { stream: 'EVT_CATALOG', durable: durables.webhookSettled },
      { stream: 'EVT_ARCHIVE', durable: durables.webhookData },
    ],
    extra: { publish: [...webhookSubjects, subjects.webhooksHeartbeat], subscribe: [subjects.webhooksHeartbeat] },
  },
  ingest: {},
  operator: {
    follows: ['EVT_COMMERCE', 'EVT_KEYS', 'EVT_EXPORT', 'EVT_WEBHOOK'],
    seesProcesses: true,
    monitors: true,
    backsUp: true,
    keeps: [deadLetterStream],
  },
  // For any internal team that reacts to exports, under its own names.
  subscriber: { subscribesTo: [{ stream: 'EVT_EXPORT', durable: durables.subscriber }] },
};

/** The service whose contracts a user answers, if any. */
export const servedBy = (user: UserName): ServiceName | undefined => serviceNames.find((service) => service === user);

export const callsOf = (user: UserName): Contract[] =>
  allContracts.filter((contract) => callersOf(contract).includes(user));

export const userOf = (name: string): UserName | undefined => userNames.find((user) => user === name);

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
  streams: [...Object.keys(streams), deadLetterStream, personalStream, webhookStream],
  consumers: userNames.flatMap((user) => (rights[user].consumes ?? []).map((one) => ({ ...one, user }))),
};

/** Durable consumers whose positions a backup contains. */
export const backedUpConsumers: readonly { stream: StreamName; durable: string }[] = userNames.flatMap((user) => [
  ...(rights[user].consumes ?? []),
  ...(rights[user].subscribesTo ?? []),
]);

/** The login of a user's connection to the streams. Its other login, for calls, has the user's own name. */
export const streamsLoginOf = (user: string): string => `${user}-streams`;

/** The user that copies a stream for a backup, or discards events in it. Undefined for a stream without backup. */
export const keeperOf = (stream: string): UserName | undefined =>
  userNames.find((user) => rights[user].keeps?.includes(stream));

/** The login of a user that copies or restores in the account of a stream. The server ignores parts from others. */
export const backupLoginOf = (user: string, stream: string): string => `${user}-${stream}`;
