import { streams, type StreamName } from '@almanac/contracts';
import { withTimeout } from '@almanac/runtime';
import { jetstream, JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { inboxOf } from './names.js';
import { type JetStreamClients, rawJetStream } from './raw-jetstream.js';
import type { StorageCapacity } from './storage-capacity.js';
import { checkServerVersion } from './server-version.js';

export interface BusOptions {
  readonly url: string;
  /** The NATS user, which is also the prefix of this connection's inbox. */
  readonly user: string;
  readonly password?: string;
  readonly connectTimeoutMs?: number;
  /** Replicas of each stream. More than one needs nats-server 2.12 or later. */
  readonly replicas?: number;
  /** JetStream's storage, of which each stream gets a share. Default: streams get no limit. */
  readonly storageBytes?: number;
}

/** A connection to NATS, shared by the process. */
export interface Bus {
  readonly nc: NatsConnection;
  readonly [rawJetStream]: JetStreamClients;
  readonly user: string;
  readonly replicas: number;
  readonly storageBytes?: number;
  readonly storageCapacity: StorageCapacity;
  /** What the process waits for at NATS, with the reason. Set only if it waits without limit. */
  readonly pendingWaits?: Map<string, string>;
  /** Stops receiving, finishes running work and disconnects. */
  close(): Promise<void>;
}

/** A connection with JetStream's own clients, for operator commands and tests. Services get a `Bus`. */
export type AdminBus = Bus & JetStreamClients;

export const connectBus = async (options: BusOptions): Promise<AdminBus> => {
  const { url, user, password, connectTimeoutMs = 10_000, replicas = 1, storageBytes } = options;
  const nc = await connect({
    servers: url.split(','),
    name: user,
    user,
    ...(password === undefined ? {} : { pass: password }),
    inboxPrefix: inboxOf(user),
    timeout: connectTimeoutMs,
    waitOnFirstConnect: false,
    maxReconnectAttempts: -1,
    // By default the client gives up after a second rejected login. The process would stay disconnected.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // Capturing a stack trace for each request costs more than the request.
    noAsyncTraces: true,
  });
  const { error } = checkServerVersion(nc.info, replicas);
  if (error !== null) {
    await nc.close();
    throw new Error(error);
  }
  const js = jetstream(nc, { timeout: 5_000 });
  const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: 5_000 });
  const clients = { js, jsm };
  const storageCapacity: StorageCapacity = { refused: null, diskFault: () => null };
  return {
    nc,
    [rawJetStream]: clients,
    ...clients,
    user,
    replicas,
    ...(storageBytes === undefined ? {} : { storageBytes }),
    storageCapacity,
    close: () => leave(nc),
  };
};

const drainMs = 3_000;

/** Draining needs the server. If it is unavailable, unsent messages are lost, as in a crash. */
const leave = async (nc: NatsConnection): Promise<void> => {
  if (nc.isClosed()) return;
  await withTimeout(drainMs, nc.drain(), () => undefined);
  await nc.close();
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

export const isNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.ConsumerNotFound || error.code === JetStreamApiCodes.StreamNotFound);

export const isConsumerNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;

export const streamOf = (subject: string): StreamName => {
  const token = subject.split('.')[1];
  for (const name of Object.keys(streams) as StreamName[]) if (streams[name] === token) return name;
  throw new Error(`no stream holds the subject ${subject}`);
};
