import { DomainError, type StreamName } from '@almanac/contracts';
import { withTimeout } from '@almanac/runtime';
import {
  type ConsumerInfo,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type NextMsgRequest,
  type StoredMsg,
  type StreamState,
} from '@nats-io/jetstream';
import { type Bus, isInvalidArgument, isPermissionViolation } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { acknowledgedFloor } from './consumer-positions.js';
import { requireFollowedLeader } from './followed-leader.js';
import { leaderWait, type LeaderWait } from './leader-wait.js';
import type { personalStream } from '../names.js';
import {
  partitionAt,
  partitionOf,
  partitionsOf,
  placed,
  sequenceOf,
  serverStream,
  serverSubject,
  storedFrom,
  storedSequence,
  type StreamPosition,
} from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { lastInReplica, replicaSilentMs } from './last-in-replica.js';
import { repeatWhileSilent } from '../connection/repeat-while-silent.js';

type ReadableStream = StreamName | typeof personalStream;

const serverBusy = 503;

/**
 * Whether the server rejected the request, or the client did not send it. It had no effect, and a retry cannot help.
 * A missing stream is no rejection: all services start together, and the stream's owner creates it.
 */
export const isRefused = (error: unknown): boolean =>
  isPermissionViolation(error) ||
  isInvalidArgument(error) ||
  (error instanceof JetStreamApiError &&
    error.status !== serverBusy &&
    error.code !== JetStreamApiCodes.StreamNotFound &&
    error.code !== messageIdInProcess);

/** A cluster is still storing a message with the same id. */
const messageIdInProcess = 10158;

/** A request that the server refused is a fault of ours. Without an answer, the data is `unavailable`. */
export const unlessRefused = (what: string, error: unknown): unknown =>
  isRefused(error)
    ? error
    : new DomainError('unavailable', 'The stored data is temporarily unavailable. Try again in a few seconds.', {
        cause: new Error(`no answer ${what}`, { cause: error }),
      });

/**
 * Every read of a service goes through here, because `Bus` has no other access to JetStream. A server that does not
 * answer is `unavailable` to callers, never an unexpected error.
 */
const readJetStream = async <T>(
  bus: Bus,
  what: string,
  read: (manager: JetStreamManager) => Promise<T>,
): Promise<T> => {
  try {
    return await read(bus[rawJetStream].jsm);
  } catch (error) {
    throw unlessRefused(`to a read of ${what}`, error);
  }
};

type Read<T> = (manager: JetStreamManager) => Promise<T>;

const readRepeatedly = <T>(bus: Bus, what: string, read: Read<T>, silentMs?: number): Promise<T> =>
  readJetStream(bus, what, (manager) =>
    repeatWhileSilent(() => read(manager), {
      onReconnect: stateOfConnection(bus.streams).onReconnect,
      isTransient: (error) => error instanceof JetStreamApiError && error.status === serverBusy,
      ...(silentMs === undefined ? {} : { silentMs }),
    }),
  );

const readLeader = <T>(bus: Bus, what: string, read: Read<T>): Promise<T> => readRepeatedly(bus, what, read);

const readReplica = <T>(bus: Bus, what: string, read: Read<T>): Promise<T> =>
  readRepeatedly(bus, what, read, replicaSilentMs);

/** A message with its subject and sequence in its event stream. */
export type ReadMessage = Pick<StoredMsg, 'subject' | 'seq' | 'data' | 'time' | 'header' | 'json'> & {
  /** From any replica, because the leader did not answer. There may be a later one. */
  readonly fromReplica?: true;
};

const inEventStream = (bus: Bus, stream: ReadableStream, message: ReadMessage | null): ReadMessage | null => {
  if (message === null) return null;
  const place = placed(bus, stream, message);
  if (place === message) return message;
  const { time, header } = message;
  return { ...place, time, header, json: (reviver) => message.json(reviver) };
};

/** Where one partition stores a subject. */
const placeOf = (bus: Bus, stream: ReadableStream, subject: string, partition = partitionOf(bus, stream, subject)) => ({
  partition,
  server: serverStream(bus, stream, partition),
  stored: serverSubject(bus, { stream, partition, subject }),
});

/** Reads the last message of a subject from the stream's leader. It includes every acknowledged write. */
export const lastMessage = async (bus: Bus, stream: ReadableStream, subject: string): Promise<ReadMessage | null> => {
  const { server, stored } = placeOf(bus, stream, subject);
  const message = await readLeader(bus, subject, ({ streams }) => streams.getMessage(server, { last_by_subj: stored }));
  return inEventStream(bus, stream, message);
};

/**
 * As `lastMessage`, and a leader that was cut off does not count. Nothing that was acknowledged before is missing, so it may be
 * said that the subject has no later message. Throws `unavailable` while no leader is followed by a majority.
 */
export const lastMessageOfMajority = async (
  bus: Bus,
  stream: ReadableStream,
  subject: string,
): Promise<ReadMessage | null> => {
  const { server } = placeOf(bus, stream, subject);
  if (bus.replicas > 1) await readLeader(bus, subject, () => requireFollowedLeader(bus, server));
  return lastMessage(bus, stream, subject);
};

/** Reads the last message of a subject from any replica. This is faster but may return an older message. */
export const lastMessageFromReplica = async (
  bus: Bus,
  stream: StreamName,
  subject: string,
): Promise<ReadMessage | null> => {
  const { server, stored } = placeOf(bus, stream, subject);
  const message = await readReplica(bus, subject, ({ direct }) => direct.getMessage(server, { last_by_subj: stored }));
  return inEventStream(bus, stream, message);
};

const leaderWaits = new WeakMap<object, Map<string, LeaderWait>>();

const leaderWaitOf = ({ nc }: Bus, server: string): LeaderWait => {
  const waits = leaderWaits.get(nc) ?? new Map<string, LeaderWait>();
  leaderWaits.set(nc, waits);
  const wait = waits.get(server) ?? leaderWait();
  waits.set(server, wait);
  return wait;
};

/**
 * From the leader, or from any replica while it does not answer. Then it may be an older message. A replica that has none
 * may lack the only one, so the leader decides.
 */
export const lastMessageToShow = (bus: Bus, stream: StreamName, subject: string): Promise<ReadMessage | null> =>
  orReplica(bus, { stream, subject }, () => lastMessageFromReplica(bus, stream, subject));

/**
 * From the leader, or, while it does not answer, from a replica that has everything up to a sequence. What must not be older is known
 * with the sequence only, so it is read after the leader was silent.
 */
export const lastMessageUpTo = (
  bus: Bus,
  { stream, subject, upTo }: { stream: StreamName; subject: string; upTo: () => Promise<number> },
): Promise<ReadMessage | null> =>
  orReplica(bus, { stream, subject }, async () => {
    const { server, stored } = placeOf(bus, stream, subject);
    const seq = storedSequence(bus, stream, await upTo());
    const message = await readJetStream(bus, subject, () => lastInReplica(bus, { server, subject: stored, seq }));
    return inEventStream(bus, stream, message);
  });

const orReplica = async (
  bus: Bus,
  { stream, subject }: { stream: StreamName; subject: string },
  fromReplica: () => Promise<ReadMessage | null>,
): Promise<ReadMessage | null> => {
  const leader = lastMessage(bus, stream, subject);
  if (bus.replicas === 1) return leader;
  const wait = leaderWaitOf(bus, placeOf(bus, stream, subject).server);
  const received = leader.then((message) => {
    wait.answered();
    return { message };
  });
  const answered = await withTimeout(wait.ms, received, () => null).catch(() => null);
  if (answered !== null) return answered.message;
  wait.wasSilent();
  const replica = fromReplica().then((message): ReadMessage | Promise<ReadMessage | null> =>
    message === null ? leader : shownFromReplica(message),
  );
  return Promise.any([leader, replica]).catch(() => leader);
};

const shownFromReplica = ({ subject, seq, data, time, header, json }: ReadMessage): ReadMessage => ({
  subject,
  seq,
  data,
  time,
  header,
  json: (reviver) => json(reviver),
  fromReplica: true,
});

/** Reads one message by its sequence from the stream's leader. */
export const messageAt = async (bus: Bus, stream: StreamName, seq: number): Promise<ReadMessage | null> => {
  const server = serverStream(bus, stream, partitionAt(bus, stream, seq));
  const request = { seq: storedSequence(bus, stream, seq) };
  const message = await readLeader(bus, `${stream} at ${seq}`, ({ streams }) => streams.getMessage(server, request));
  return inEventStream(bus, stream, message);
};

/**
 * Reads the first message of a subject at or after a sequence from the stream's leader. A pattern is searched in one
 * partition.
 */
export const nextMessage = async (
  bus: Bus,
  stream: StreamName,
  { subject, seq, partition: searched }: { subject: string; seq: number; partition?: number },
): Promise<ReadMessage | null> => {
  const { partition, server, stored } = placeOf(bus, stream, subject, searched);
  // The client passes the request on, but its type for the leader has no `next_by_subj`.
  const request: Required<NextMsgRequest> = {
    seq: storedFrom(bus, { stream, partition, seq }),
    next_by_subj: stored,
  };
  const message = await readLeader(bus, subject, ({ streams }) => streams.getMessage(server, request));
  return inEventStream(bus, stream, message);
};

/** The state of a stream, or of one of its partitions, at its leader. */
export const streamState = async (bus: Bus, stream: StreamName, partition = 0): Promise<StreamState> => {
  const server = serverStream(bus, stream, partition);
  const state = await readLeader(bus, stream, async ({ streams }) => (await streams.info(server)).state);
  const seqOf = (stored: number): number => sequenceOf(bus, { stream, partition, stored });
  return { ...state, first_seq: seqOf(state.first_seq), last_seq: seqOf(state.last_seq) };
};

/** The last sequence of each partition at its leader. */
export const endOf = (bus: Bus, stream: StreamName): Promise<StreamPosition> =>
  Promise.all(partitionsOf(bus, stream).map(async (partition) => (await streamState(bus, stream, partition)).last_seq));

const consumerInfo = (
  bus: Bus,
  { stream, durable, partition }: { stream: StreamName; durable: string; partition: number },
): Promise<ConsumerInfo> =>
  readLeader(bus, durable, ({ consumers }) => consumers.info(serverStream(bus, stream, partition), durable));

/** The last sequence of a partition, and the sequence up to which a consumer acknowledged all its messages. */
export const consumerPosition = async (
  bus: Bus,
  stream: StreamName,
  durable: string,
  partition = 0,
): Promise<{ readonly lastSeq: number; readonly acknowledged: number }> => {
  // The stream is read before the consumer, so the consumer's state covers every message of the stream's state.
  const { last_seq: lastSeq } = await streamState(bus, stream, partition);
  return { lastSeq, acknowledged: await acknowledgedWith(bus, { stream, durable, partition, lastSeq }) };
};

/** The sequence up to which a consumer acknowledged all messages. `lastSeq`: the end of the partition, read before. */
export const acknowledgedWith = async (
  bus: Bus,
  { lastSeq, ...of }: { stream: StreamName; durable: string; partition: number; lastSeq: number },
): Promise<number> => {
  const info = await consumerInfo(bus, of);
  const isComplete = info.num_pending === 0 && info.num_ack_pending === 0;
  const floorSeq = sequenceOf(bus, { ...of, stored: acknowledgedFloor(info) });
  return isComplete ? Math.max(lastSeq, floorSeq) : floorSeq;
};

/** The sequence up to which all messages of a partition are acknowledged. Those outside the filter count, too. */
export const acknowledgedUpTo = async (bus: Bus, stream: StreamName, durable: string, partition = 0): Promise<number> =>
  (await consumerPosition(bus, stream, durable, partition)).acknowledged;

/** The sequence up to which all messages are acknowledged, in each partition. */
export const acknowledgedPosition = (bus: Bus, stream: StreamName, durable: string): Promise<StreamPosition> =>
  Promise.all(partitionsOf(bus, stream).map((partition) => acknowledgedUpTo(bus, stream, durable, partition)));

/** Deletes a message and overwrites its bytes. False if it is already deleted. */
export const eraseMessage = (bus: Bus, stream: typeof personalStream, seq: number): Promise<boolean> =>
  readJetStream(bus, `${stream} at ${seq}`, ({ streams }) => streams.deleteMessage(stream, seq, true));
