import { type ServiceName, type StreamName, streams, type UserName, userNames } from '@almanac/contracts';
import { deadLetterStream, inboxOf, subjects } from '../names.js';
import { serverSubjects } from '../partitions.js';
import { backedUpConsumers, callsOf, keeperOf, expectedTopology, rights, servedBy, servesStatus } from './rights.js';

/** What one NATS user may publish and subscribe to, in both of its accounts. Everything else is denied. */
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

/** Computes the minimal permissions of a user from its rights. */
export const permissionsOf = (user: UserName, partitions = 1): Permissions => {
  const { publish, deny, subscribe } = ofEventStreams(user);
  const atServer = (subject: string): string[] => serverSubjects({ partitions }, subject);
  return { publish: publish.flatMap(atServer), deny: deny.flatMap(atServer), subscribe: subscribe.flatMap(atServer) };
};

/** As if each event stream were one stream of the server. */
const ofEventStreams = (user: UserName): Permissions => {
  const { appends = [], owns = [], reads = [], follows = [], consumes = [] } = rights[user];
  const {
    subscribesTo = [],
    keeps = [],
    seesProcesses = false,
    monitors = false,
    backsUp = false,
    extra,
  } = rights[user];
  const [serves, calls] = [servedBy(user), callsOf(user)];
  const publish = [
    ...calls.map((contract) => subjects.rpc(contract)),
    ...new Set(calls.filter(({ kind }) => kind === 'query').map(({ service }) => subjects.cancel(service))),
    ...appends,
    ...owns.flatMap(streamAdministration),
    ...reads.flatMap(readSubjects),
    ...follows.flatMap(followSubjects),
    ...[...consumes, ...subscribesTo].flatMap(consumeSubjects),
    ...(consumes.length > 0 ? streamAdministration(deadLetterStream) : []),
    ...consumes.map(({ durable }) => `$JS.API.DIRECT.GET.${deadLetterStream}.${subjects.dead(durable)}`),
    // Any reader may meet a message that is no event. The operator acknowledges such dead letters.
    ...(consumes.length + reads.length + follows.length > 0 ? [subjects.dead('*')] : []),
    ...(serves === undefined ? [] : usersCalling(serves).map(repliesTo)),
    ...new Set(calls.map((contract) => repliesTo(contract.service))),
    ...(seesProcesses ? [subjects.status] : []),
    ...(monitors ? [...monitorSubjects, ...deadLetterSubjects] : []),
    ...(backsUp ? [...positionSubjects, ...backupRequests(user), ...eventStreams.map(subjects.discard)] : []),
    ...(keeps.length > 0 ? usersWhoBackUp.map(repliesTo) : []),
    ...(servesStatus(user) ? userNames.filter((name) => rights[name].seesProcesses).map(repliesTo) : []),
    ...(subscribesTo.length > 0 ? userNames.filter((name) => rights[name].monitors).map(repliesTo) : []),
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
      ...(servesStatus(user) ? [subjects.status, subjects.keysHeartbeat] : []),
      ...(backsUp ? [] : [...keeps.map(subjects.backup), ...keeps.filter(isEventStream).map(subjects.discard)]),
      ...[...consumes, ...subscribesTo].map(({ durable }) => subjects.retry(durable)),
      ...(extra?.subscribe ?? []),
    ],
  };
};

/**
 * In the account of a stream: its copier requests a copy, and who restores sends the parts of a restore that the server
 * has accepted. Publish is empty for others.
 */
export const backupPermissionsOf = (user: UserName, stream: string, partitions = 1): Permissions => ({
  publish: [
    ...(keeperOf(stream) === user ? [`$JS.API.STREAM.SNAPSHOT.${stream}`, `$JS.SNAPSHOT.ACK.${stream}.>`] : []),
    ...(keeperOf(stream) !== undefined && rights[user].backsUp === true ? [`$JS.SNAPSHOT.RESTORE.${stream}.*`] : []),
  ].flatMap((subject) => serverSubjects({ partitions }, subject)),
  deny: [],
  subscribe: [`${inboxOf(user)}.>`],
});

const eventStreams = Object.keys(streams);
const isEventStream = (stream: string): boolean => eventStreams.includes(stream);

const usersWhoBackUp = userNames.filter((user) => rights[user].backsUp === true);

/** The answer to a request for a restore is sent to its reply subject, so it is not requested in the stream's account. */
const backupRequests = (user: UserName): string[] => {
  const copiers = expectedTopology.streams.flatMap((stream) => {
    const copier = keeperOf(stream);
    return copier === undefined || copier === user ? [] : [{ stream, copier }];
  });
  return [
    ...expectedTopology.streams.map((stream) => `$JS.API.STREAM.RESTORE.${stream}`),
    ...copiers.map(({ stream }) => subjects.backup(stream)),
    ...new Set(copiers.map(({ copier }) => repliesTo(copier))),
  ];
};

/** The positions of the consumers of a backup. */
const positionSubjects: readonly string[] = backedUpConsumers.flatMap(({ stream, durable }) => [
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
]);

const monitorSubjects: readonly string[] = [
  ...expectedTopology.streams.map((stream) => `$JS.API.STREAM.INFO.${stream}`),
  ...expectedTopology.consumers.map(({ stream, durable }) => `$JS.API.CONSUMER.INFO.${stream}.${durable}`),
];

const deadLetterSubjects: readonly string[] = [
  ...['GET', 'DELETE'].map((operation) => `$JS.API.STREAM.MSG.${operation}.${deadLetterStream}`),
  ...backedUpConsumers.map(({ durable }) => subjects.retry(durable)),
];

/** A service replies to callers, and callers request the chunks of a long reply at this prefix. */
const repliesTo = (user: UserName): string => `${inboxOf(user)}.>`;

const usersCalling = (service: ServiceName): UserName[] =>
  userNames.filter((user) => callsOf(user).some((contract) => contract.service === service));

const streamAdministration = (stream: string): string[] => [
  `$JS.API.STREAM.CREATE.${stream}`,
  `$JS.API.STREAM.UPDATE.${stream}`,
  `$JS.API.STREAM.INFO.${stream}`,
];

/** Whether a leader is followed by a majority is in the information about its stream. */
const readSubjects = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
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
