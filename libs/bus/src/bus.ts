import { streams, type StreamName } from '@almanac/contracts';
import { withTimeout } from '@almanac/runtime';
import {
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  type StoredMsg,
} from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { inboxOf } from './names.js';
import type { StorageCapacity } from './storage-capacity.js';
import { checkServerVersion } from './server-version.js';

export interface BusOptions {
  readonly url: string;
  /** The NATS user, which is also the prefix of this connection's inbox. */
  readonly user: string;
  readonly password?: string;
  /** How long a start waits for the first connection. */
  readonly connectTimeoutMs?: number;
  /** Copies of each stream; more than one needs a server of 2.12 or later. */
  readonly replicas?: number;
}

/** A connection to NATS with its JetStream clients. All of a process share one. */
export interface Bus {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly user: string;
  readonly replicas: number;
  readonly storageCapacity: StorageCapacity;
  /** Of a process that waits at NATS for as long as it takes: what for, and why. Without it every wait has an end. */
  readonly pendingWaits?: Map<string, string>;
  /** Stops taking, finishes what runs, and leaves. */
  close(): Promise<void>;
}

export const connectBus = async (options: BusOptions): Promise<Bus> => {
  const { url, user, password, connectTimeoutMs = 10_000, replicas = 1 } = options;
  const nc = await connect({
    servers: url.split(','),
    name: user,
    user,
    ...(password === undefined ? {} : { pass: password }),
    inboxPrefix: inboxOf(user),
    timeout: connectTimeoutMs,
    waitOnFirstConnect: false,
    maxReconnectAttempts: -1,
    // A login that is refused twice would end the connection, and with it this process, for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // A stack kept for each request costs more than the request.
    noAsyncTraces: true,
  });
  const { error } = checkServerVersion(nc.info, replicas);
  if (error !== null) {
    await nc.close();
    throw new Error(error);
  }
  const js = jetstream(nc, { timeout: 5_000 });
  const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: 5_000 });
  return { nc, js, jsm, user, replicas, storageCapacity: { refused: null }, close: () => leave(nc) };
};

const drainMs = 3_000;

/** Draining asks the server, which may be away: then what was not sent is lost, as with any crash. */
const leave = async (nc: NatsConnection): Promise<void> => {
  if (nc.isClosed()) return;
  await withTimeout(drainMs, nc.drain(), () => undefined);
  await nc.close();
};

/** Whether the client refused to send at all, such as more bytes than the server takes. */
export const isInvalidArgument = (error: unknown): boolean => error instanceof errors.InvalidArgumentError;

/** Whether the server refused a subject: waiting and asking again cannot help. */
export const isPermissionViolation = (error: unknown): boolean =>
  error instanceof errors.PermissionViolationError ||
  (error instanceof Error && error.cause !== undefined && isPermissionViolation(error.cause));

/** Whether the server said at once that nobody listens to what was asked. */
export const hasNoResponders = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());

/** Whether a publish that expected a last sequence came second. */
export const isWrongSequence = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);

/** Whether the server has no such stream, or the stream no such consumer. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.ConsumerNotFound || error.code === JetStreamApiCodes.StreamNotFound);

export const isConsumerNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;

/** The last message of a subject from the stream's leader: never older than a write that was acknowledged. */
export const lastMessage = (bus: Bus, stream: StreamName, subject: string): Promise<StoredMsg | null> =>
  bus.jsm.streams.getMessage(stream, { last_by_subj: subject });

/** The last message of a subject from any replica: quicker, and perhaps behind; for where an old answer is harmless. */
export const lastMessageFromReplica = (bus: Bus, stream: StreamName, subject: string): Promise<StoredMsg | null> =>
  bus.jsm.direct.getMessage(stream, { last_by_subj: subject });

/** The stream that holds an event subject. */
export const streamOf = (subject: string): StreamName => {
  const token = subject.split('.')[1];
  for (const name of Object.keys(streams) as StreamName[]) if (streams[name] === token) return name;
  throw new Error(`no stream holds the subject ${subject}`);
};
