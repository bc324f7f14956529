import { streams, type StreamName } from '@almanac/contracts';
import { withTimeout } from '@almanac/runtime';
import { jetstream, JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { stateOfConnection } from './connection/connection-state.js';
import { inboxOf } from './names.js';
import { nextServer } from './connection/next-server.js';
import { eventStream, type Partitioned, partitionsMax } from './partitions.js';
import { type JetStreamClients, rawJetStream } from './connection/raw-jetstream.js';
import type { StorageCapacity } from './streams/storage-capacity.js';
import { backupLoginOf, streamsLoginOf } from './rights/rights.js';
import { checkServerVersion } from './connection/server-version.js';
import { type BusTls, clientTls, requiredTls } from './connection/tls.js';
import { probeTls } from './connection/probe-tls.js';
import type { SubscriptionReports } from './connection/watch-subscription.js';

/** Work that goes on until `stop`, which waits for what is in progress. */
export interface Running {
  stop(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  /** The NATS user, which is also the prefix of this connection's inbox. */
  readonly user: string;
  readonly password?: string;
  readonly connectTimeoutMs?: number;
  /** Demands TLS. Without it, TLS is used if the server offers it, or `url` begins with `tls`. */
  readonly tls?: BusTls;
  /** Replicas of each stream. More than one needs nats-server 2.12 or later. */
  readonly replicas?: number;
  /** JetStream's storage, of which each stream gets a share. Default: streams get no limit. */
  readonly storageBytes?: number;
  /** Partitions of the event streams that may have several (partitions.ts). Default 1. */
  readonly partitions?: number;
}

/** The connections of a process to NATS. */
export interface Bus extends Partitioned {
  /** For calls, heartbeats, progress and status. No stream listens to its subjects. */
  readonly nc: NatsConnection;
  /**
   * For JetStream, in an account of this user alone (accounts.ts). Whatever reply subject a request of it has, the
   * answer reaches no stream of others.
   */
  readonly streams: NatsConnection;
  readonly [rawJetStream]: JetStreamClients;
  readonly user: string;
  readonly replicas: number;
  readonly storageBytes?: number;
  readonly storageCapacity: StorageCapacity;
  /** What the process waits for at NATS, with the reason. Set only if it waits without limit. */
  readonly pendingWaits?: Map<string, string>;
  /** Where stalled subscriptions are reported. Without it they are only restarted. */
  readonly subscriptions?: SubscriptionReports;
  /** Stops receiving, finishes running work and disconnects. */
  close(): Promise<void>;
}

/** A connection with JetStream's own clients, for operator commands and tests. Services get a `Bus`. */
export interface AdminBus extends Bus, JetStreamClients {
  /** Connects to the account of a stream, for its backup. The caller closes the connection. */
  connectTo(stream: string): Promise<NatsConnection>;
}

export const connectBus = async (options: BusOptions): Promise<AdminBus> => {
  const { user, replicas = 1, partitions = 1, storageBytes } = options;
  if (partitions < 1 || partitions > partitionsMax) throw new RangeError(`partitions must be 1 to ${partitionsMax}`);
  const nc = await connectAs(user, options).catch(async (failure: unknown) => {
    throw await withTlsFault(failure, options);
  });
  const { error } = checkServerVersion(nc.info, replicas);
  if (error !== null) {
    await nc.close();
    throw new Error(error);
  }
  // At the same server, so that both are left together.
  const own = await connectAs(streamsLoginOf(user), options, () => nc.getServer()).catch(async (failure: unknown) => {
    await nc.close();
    throw failure;
  });
  const js = jetstream(own, { timeout: 5_000 });
  const jsm = await jetstreamManager(own, { checkAPI: false, timeout: 5_000 });
  const clients = { js, jsm };
  const storageCapacity: StorageCapacity = { refused: null, diskFault: () => null };
  const close = async (): Promise<void> => void (await Promise.all([disconnect(nc), disconnect(own)]));
  const connectTo = (stream: string) => connectAs(backupLoginOf(user, eventStream(stream)), options);
  const limits = storageBytes === undefined ? {} : { storageBytes };
  const shared = { nc, streams: own, user, replicas, partitions, ...limits, storageCapacity };
  return { ...shared, [rawJetStream]: clients, ...clients, connectTo, close };
};

/** A connection that cannot be made because of TLS. The message says what helps. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

const withTlsFault = async (failure: unknown, { url, tls }: BusOptions): Promise<unknown> => {
  if (failure instanceof errors.AuthorizationError) return failure;
  const fault = await probeTls(url, tls);
  return fault === null ? failure : new TlsError(fault, { cause: failure });
};

const othersTimeoutMs = 2_000;

/** All logins of a user have its password. */
const connectAs = async (
  login: string,
  { url, user, password, connectTimeoutMs = 10_000, tls }: BusOptions,
  wantedServer: () => string | undefined = () => undefined,
): Promise<NatsConnection> => {
  let host = '';
  const required = requiredTls(url, tls);
  const nc = await connect({
    servers: url.split(','),
    name: login,
    user: login,
    ...(password === undefined ? {} : { pass: password }),
    inboxPrefix: inboxOf(user),
    // The next server may answer while one is frozen.
    timeout: url.includes(',') ? Math.min(connectTimeoutMs, othersTimeoutMs) : connectTimeoutMs,
    waitOnFirstConnect: false,
    maxReconnectAttempts: -1,
    // By default the client gives up after a second rejected login. The process would stay disconnected.
    ignoreAuthErrorAbort: true,
    // Only the configured servers. The others of a cluster announce each other, so a rejected first login would be tried
    // without end, a thousand times a second, and never be reported.
    ignoreClusterUpdates: true,
    reconnectToServer: (servers) => {
      const server = nextServer(servers, wantedServer());
      host = server.hostname;
      return server;
    },
    ...(required === undefined ? {} : { tls: clientTls(required, () => host) }),
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // Capturing a stack trace for each request costs more than the request.
    noAsyncTraces: true,
  });
  // From the start, so that it misses no change.
  stateOfConnection(nc);
  return nc;
};

const drainMs = 3_000;

/** Draining needs the server. If it is unavailable or gets lost, unsent messages are lost, as in a crash. */
export const disconnect = async (nc: NatsConnection): Promise<void> => {
  if (nc.isClosed()) return;
  const drained = nc.drain().catch(() => undefined);
  await withTimeout(drainMs, drained, () => undefined);
  await nc.close();
};

/** Publishes what a peer needs no longer once this connection ends. A connection that drains takes no more messages. */
export const publishIfOpen = ({ nc }: Bus, ...message: Parameters<NatsConnection['publish']>): void => {
  try {
    nc.publish(...message);
  } catch (error) {
    if (!(error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError))
      throw error;
  }
};

/** Whether the client rejected the request before sending it, for example because it is too large. */
export const isInvalidArgument = (error: unknown): boolean => error instanceof errors.InvalidArgumentError;

/** Whether the server denies access to the subject. A retry cannot help. */
export const isPermissionViolation = (error: unknown): boolean =>
  error instanceof errors.PermissionViolationError ||
  (error instanceof Error && error.cause !== undefined && isPermissionViolation(error.cause));

/** Whether the server reported that nothing subscribes to the subject. */
export const hasNoResponders = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());

/** Whether a publish failed because its expected last sequence is outdated. */
export const isWrongSequence = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);

const wrongLastMessageId = 10070;

/** Whether a publish failed because it expected another id of the stream's last message. */
export const isWrongLastId = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === wrongLastMessageId;

export const isNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.ConsumerNotFound || error.code === JetStreamApiCodes.StreamNotFound);

/** What the server knows of a stream or a consumer. Undefined if it does not exist. */
export const unlessMissing = async <T>(info: Promise<T>): Promise<T | undefined> => {
  try {
    return await info;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const consumerOffline = 10119;

/** Whether a consumer does not exist, or only on a server that has ended or is about to. It may stay away for hours. */
export const isConsumerLost = (error: unknown): boolean =>
  isNotFound(error) || (error instanceof JetStreamApiError && error.code === consumerOffline);

export const isConsumerNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;

const consumerExists = 10148;

/** Whether a consumer of this name has other settings. */
export const isConsumerExists = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === consumerExists;

/** Whether a subject belongs to an event stream. */
export const isEventSubject = (subject: string): boolean => subject.startsWith('evt.');

export const streamOf = (subject: string): StreamName => {
  const token = subject.split('.')[1];
  for (const name of Object.keys(streams) as StreamName[]) if (streams[name] === token) return name;
  throw new Error(`no stream holds the subject ${subject}`);
};
