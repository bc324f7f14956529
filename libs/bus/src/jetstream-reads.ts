import { DomainError, type StreamName } from '@almanac/contracts';
import {
  type ConsumerInfo,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type NextMsgRequest,
  type StoredMsg,
  type StreamState,
} from '@nats-io/jetstream';
import { type Bus, isInvalidArgument, isPermissionViolation } from './bus.js';
import type { personalStream } from './names.js';
import { rawJetStream } from './raw-jetstream.js';
import { repeatWhileSilent } from './repeat-while-silent.js';

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
    if (isRefused(error)) throw error;
    throw new DomainError('unavailable', 'The stored data is temporarily unavailable. Try again in a few seconds.', {
      cause: new Error(`no answer to a read of ${what}`, { cause: error }),
    });
  }
};

const readLeader = <T>(bus: Bus, what: string, read: (manager: JetStreamManager) => Promise<T>): Promise<T> =>
  readJetStream(bus, what, (manager) => repeatWhileSilent(() => read(manager)));

/** Reads the last message of a subject from the stream's leader. It includes every acknowledged write. */
export const lastMessage = (bus: Bus, stream: ReadableStream, subject: string): Promise<StoredMsg | null> =>
  readLeader(bus, subject, ({ streams }) => streams.getMessage(stream, { last_by_subj: subject }));

/** Reads the last message of a subject from any replica. This is faster but may return an older message. */
export const lastMessageFromReplica = (bus: Bus, stream: StreamName, subject: string): Promise<StoredMsg | null> =>
  readJetStream(bus, subject, ({ direct }) => direct.getMessage(stream, { last_by_subj: subject }));

/** Reads one message by its sequence from the stream's leader. */
export const messageAt = (bus: Bus, stream: StreamName, seq: number): Promise<StoredMsg | null> =>
  readLeader(bus, `${stream} at ${seq}`, ({ streams }) => streams.getMessage(stream, { seq }));

/** Reads the first message of a subject at or after a sequence from the stream's leader. */
export const nextMessage = (
  bus: Bus,
  stream: StreamName,
  { subject, seq }: { subject: string; seq: number },
): Promise<StoredMsg | null> => {
  // The client passes the request on, but its type for the leader has no `next_by_subj`.
  const request: Required<NextMsgRequest> = { seq, next_by_subj: subject };
  return readLeader(bus, subject, ({ streams }) => streams.getMessage(stream, request));
};

/** The state of a stream at its leader. */
export const streamState = (bus: Bus, stream: StreamName): Promise<StreamState> =>
  readJetStream(bus, stream, async ({ streams }) => (await streams.info(stream)).state);

const consumerInfo = (bus: Bus, stream: StreamName, durable: string): Promise<ConsumerInfo> =>
  readJetStream(bus, durable, ({ consumers }) => consumers.info(stream, durable));

/** The last sequence of a stream, and the sequence up to which a consumer acknowledged all messages. */
export const consumerPosition = async (
  bus: Bus,
  stream: StreamName,
  durable: string,
): Promise<{ readonly lastSeq: number; readonly acknowledged: number }> => {
  // The stream is read before the consumer, so the consumer's state covers every message of the stream's state.
  const { last_seq: lastSeq } = await streamState(bus, stream);
  const {
    num_pending: pending,
    num_ack_pending: ackPending,
    ack_floor: floor,
  } = await consumerInfo(bus, stream, durable);
  const isComplete = pending === 0 && ackPending === 0;
  return { lastSeq, acknowledged: isComplete ? Math.max(lastSeq, floor.stream_seq) : floor.stream_seq };
};

/** The sequence up to which all messages are acknowledged. Those outside the filter count, too. */
export const acknowledgedUpTo = async (bus: Bus, stream: StreamName, durable: string): Promise<number> =>
  (await consumerPosition(bus, stream, durable)).acknowledged;

/** Deletes a message and overwrites its bytes. False if it is already deleted. */
export const eraseMessage = (bus: Bus, stream: typeof personalStream, seq: number): Promise<boolean> =>
  readJetStream(bus, `${stream} at ${seq}`, ({ streams }) => streams.deleteMessage(stream, seq, true));
