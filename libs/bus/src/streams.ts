import { setTimeout as delay } from 'node:timers/promises';
import type { StreamName } from '@almanac/contracts';
import { DiscardPolicy, type JetStreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import { deadLetterStream, heartbeatStream, patterns, personalBucket, personalStream, subjects } from './names.js';
import { rawJetStream } from './raw-jetstream.js';
import { retryUntilDone } from './retry-until-done.js';

/**
 * Creates an event stream or updates its settings. It never loses a message: no age limit, no limit that discards old
 * messages, no delete, no purge.
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

/** Creates the stream of dead letters. It stores them for 30 days. */
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
 * Creates the bucket of personal records, the only store with permanent erasure. Unlike buckets created by clients,
 * it allows deleting a message, which overwrites its bytes on disk; a purge does not. Each key has only its last
 * value.
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

/** Creates the stream of one message that `storeHeartbeat` writes. In memory, because nobody reads it. */
export const ensureHeartbeatStream = (bus: Bus): Promise<void> =>
  createStream(bus, {
    name: heartbeatStream,
    subjects: [subjects.storedHeartbeat],
    retention: RetentionPolicy.Limits,
    storage: StorageType.Memory,
    discard: DiscardPolicy.Old,
    max_msgs: 1,
    num_replicas: bus.replicas,
  });

const streamNameInUse = 10058;
const subjectsOverlap = 10065;
const overlapAttempts = 5;
const overlapWaitMs = 50;

/**
 * Creating a stream that exists with equal settings succeeds; with other settings it is updated. While another
 * process creates the same stream, its subjects exist before its name (3 of 600 rounds on 2.9). An overlap is
 * therefore tried again.
 */
const createStream = (bus: Bus, config: StreamSettings): Promise<void> =>
  retryUntilDone(bus, { what: `to make the stream ${config.name}`, timeoutMs: 0 }, () => createOnce(bus, config));

type StreamSettings = Parameters<JetStreamManager['streams']['add']>[0] & { name: string };

const createOnce = async (bus: Bus, config: StreamSettings): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bus[rawJetStream].jsm.streams.add(config);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === streamNameInUse) break;
      if (code !== subjectsOverlap || attempt === overlapAttempts) throw error;
      await delay(overlapWaitMs * (0.5 + Math.random()));
    }
  }
  const { name, ...settings } = config;
  await bus[rawJetStream].jsm.streams.update(name, settings);
};

const streamWaitMs = 30_000;

/**
 * Waits until a stream exists. Its owner creates it, and all services of a system start together, perhaps at a server
 * that is busy with other requests over millions of messages. Throws the server's error after 30 s, unless the
 * process waits without limit.
 */
export const awaitStream = (bus: Bus, name: StreamName): Promise<void> =>
  retryUntilDone(bus, { what: `for the stream ${name}`, timeoutMs: streamWaitMs }, async () => {
    await bus[rawJetStream].jsm.streams.info(name);
  });
