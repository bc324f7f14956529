import { setTimeout as delay } from 'node:timers/promises';
import { streams, type StreamName } from '@almanac/contracts';
import {
  DiscardPolicy,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import { connect, errors, type NatsConnection, nanos } from '@nats-io/transport-node';
import { deadLetterStream, inboxOf, patterns, personalBucket, personalStream, subjects } from './names.js';

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
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // A stack kept for each request costs more than the request.
    noAsyncTraces: true,
  });
  refuseWeakCluster(nc.info?.version ?? '0.0.0', replicas);
  const js = jetstream(nc, { timeout: 5_000 });
  const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: 5_000 });
  return { nc, js, jsm, user, replicas, close: () => leave(nc) };
};

const drainMs = 3_000;

/** Draining asks the server, which may be away: then what was not sent is lost, as with any crash. */
const leave = async (nc: NatsConnection): Promise<void> => {
  if (nc.isClosed()) return;
  const stopped = new AbortController();
  const late = delay(drainMs, undefined, { signal: stopped.signal }).catch(() => undefined);
  await Promise.race([nc.drain(), late]);
  stopped.abort();
  await nc.close();
};

/** Whether the client refused to send at all, such as more bytes than the server takes. */
export const isUnsendable = (error: unknown): boolean => error instanceof errors.InvalidArgumentError;

/** Whether the server refused a subject: waiting and asking again cannot help. */
export const isPermissionViolation = (error: unknown): boolean =>
  error instanceof errors.PermissionViolationError ||
  (error instanceof Error && error.cause !== undefined && isPermissionViolation(error.cause));

/** Whether a publish that expected a last sequence came second. */
export const isWrongSequence = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);

/**
 * A cluster of 2.9 accepts several publishes with one expected sequence (seen in 300 of 300 rounds), which would sell
 * a thing twice; so several replicas need 2.12.
 */
export const refuseWeakCluster = (version: string, replicas: number): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (replicas > 1 && (major < 2 || (major === 2 && minor < 12))) {
    throw new Error(`nats-server ${version} cannot keep ${replicas} replicas safely: 2.12 or later is needed`);
  }
};

/**
 * Creates a stream of truth, or brings its settings up to date. Nothing in it is ever lost: no age, no limit that
 * discards the old, no delete, no purge.
 */
export const ensureStream = async (bus: Bus, name: StreamName): Promise<void> => {
  const config = {
    subjects: [patterns.allOf(name)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_age: 0,
    num_replicas: bus.replicas,
    duplicate_window: nanos(120_000),
    allow_direct: true,
  };
  await createStream(bus, { ...config, name, deny_delete: true, deny_purge: true });
};

/** Creates the stream of dead letters, which keeps what no consumer could process for 30 days. */
export const ensureDeadLetters = (bus: Bus): Promise<void> =>
  createStream(bus, {
    name: deadLetterStream,
    subjects: [subjects.dead('*')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(30 * 24 * 3_600_000),
    num_replicas: bus.replicas,
  });

/**
 * Creates the bucket of personal records, the one store whose entries can be erased for good: unlike with buckets that
 * clients make, a message of it may be deleted, which overwrites its bytes on disk; a purge leaves them there. Each key
 * has its last value only.
 */
export const ensurePersonal = (bus: Bus): Promise<void> =>
  createStream(bus, {
    name: personalStream,
    subjects: [`$KV.${personalBucket}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    max_age: 0,
    num_replicas: bus.replicas,
    allow_rollup_hdrs: true,
    allow_direct: true,
  });

const streamNameInUse = 10058;
const subjectsOverlap = 10065;
const overlapAttempts = 5;
const overlapWaitMs = 50;

/**
 * Adding a stream that exists with equal settings succeeds; with others it is updated. One that another process makes
 * in this very moment holds its subjects before its name (seen in 3 of 600 rounds on 2.9), so an overlap is asked again.
 */
const createStream = async (bus: Bus, config: Parameters<JetStreamManager['streams']['add']>[0]): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bus.jsm.streams.add(config);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === streamNameInUse) break;
      if (code !== subjectsOverlap || attempt === overlapAttempts) throw error;
      await delay(overlapWaitMs * (0.5 + Math.random()));
    }
  }
  const { name, ...settings } = config;
  await bus.jsm.streams.update(name ?? '', settings);
};

/** The last message of a subject from the stream's leader: never older than a write that was acknowledged. */
export const lastMessage = (bus: Bus, stream: StreamName, subject: string): Promise<StoredMsg | null> =>
  bus.jsm.streams.getMessage(stream, { last_by_subj: subject });

/** The last message of a subject from any replica: quicker, and perhaps behind; for where an old answer is harmless. */
export const lastMessageNearby = (bus: Bus, stream: StreamName, subject: string): Promise<StoredMsg | null> =>
  bus.jsm.direct.getMessage(stream, { last_by_subj: subject });

/** The stream that holds an event subject. */
export const streamOf = (subject: string): StreamName => {
  const token = subject.split('.')[1];
  for (const name of Object.keys(streams) as StreamName[]) if (streams[name] === token) return name;
  throw new Error(`no stream holds the subject ${subject}`);
};

const streamNotFound = 10059;
const streamWaitMs = 30_000;
const streamAskMs = 200;

/**
 * Waits until a stream is there: its owner makes it, and all services of a system start at once, at a server that may
 * be busy with what another one asks of millions of messages. Throws after 30 s what the server said.
 */
export const awaitStream = async (bus: Bus, name: StreamName): Promise<void> => {
  const deadline = performance.now() + streamWaitMs;
  for (;;) {
    try {
      await bus.jsm.streams.info(name);
      return;
    } catch (error) {
      const missing = error instanceof Error && 'code' in error && error.code === streamNotFound;
      const isLate = error instanceof errors.TimeoutError;
      if (!(missing || isLate) || performance.now() > deadline) throw error;
      await delay(streamAskMs);
    }
  }
};
