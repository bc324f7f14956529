import { setTimeout as delay } from 'node:timers/promises';
import type { StreamName } from '@almanac/contracts';
import { DiscardPolicy, type JetStreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import { deadLetterStream, patterns, personalBucket, personalStream, subjects } from './names.js';
import { retryUntilDone } from './retry-until-done.js';

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
const createStream = (bus: Bus, config: StreamSettings): Promise<void> =>
  retryUntilDone(bus, { what: `to make the stream ${config.name}`, timeoutMs: 0 }, () => createOnce(bus, config));

type StreamSettings = Parameters<JetStreamManager['streams']['add']>[0] & { name: string };

const createOnce = async (bus: Bus, config: StreamSettings): Promise<void> => {
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
  await bus.jsm.streams.update(name, settings);
};

const streamWaitMs = 30_000;

/**
 * Waits until a stream is there: its owner makes it, and all services of a system start at once, at a server that may
 * be busy with what another one asks of millions of messages. Throws what the server said after 30 s, unless the process
 * waits for as long as it takes.
 */
export const awaitStream = (bus: Bus, name: StreamName): Promise<void> =>
  retryUntilDone(bus, { what: `for the stream ${name}`, timeoutMs: streamWaitMs }, async () => {
    await bus.jsm.streams.info(name);
  });
