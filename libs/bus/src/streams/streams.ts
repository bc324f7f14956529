import { setTimeout as delay } from 'node:timers/promises';
import type { StreamName } from '@almanac/contracts';
import { withJitter } from '@almanac/runtime';
import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { type Bus, unlessMissing } from '../bus.js';
import { watchStream } from './consumer-metrics.js';
import { deadLetterStream, patterns, personalBucket, personalStream, subjects } from '../names.js';
import { partitionCount, partitionsOf, serverStream, serverSubject } from '../partitions.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { repeatWhileSilent } from '../connection/repeat-while-silent.js';
import { retryUntilDone, startWaitMs } from './retry-until-done.js';
import { archiveHistoryMax, isLimitApplied, storageLimitOf } from './stream-limits.js';

/**
 * Creates an event stream or updates its settings. It never loses an event: no age limit, no limit that discards old
 * messages, no delete, no purge. Only EVT_ARCHIVE is bounded to the last messages of each market, because it holds
 * versions of data that is elsewhere. A stream that reaches its storage limit refuses new messages.
 */
export const ensureStream = async (bus: Bus, name: StreamName): Promise<void> => {
  await Promise.all(partitionsOf(bus, name).map((partition) => ensurePartition(bus, name, partition)));
};

/** The settings of one partition, without its description. */
export const partitionSettings = (bus: Bus, name: StreamName, partition: number) => ({
  name: serverStream(bus, name, partition),
  subjects: [serverSubject(bus, { stream: name, partition, subject: patterns.allOf(name) })],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_age: 0,
  num_replicas: bus.replicas,
  duplicate_window: nanos(120_000),
  allow_direct: true,
  deny_delete: true,
  deny_purge: true,
  ...(name === 'EVT_ARCHIVE' ? { max_msgs_per_subject: archiveHistoryMax } : {}),
});

const ensurePartition = async (bus: Bus, name: StreamName, partition: number): Promise<void> => {
  const count = partitionCount(bus, name);
  const settings = partitionSettings(bus, name, partition);
  const existing = await settingsOf(bus, settings.name);
  if (existing !== undefined) requireSameCount(bus, name, { partition, config: existing });
  if (count === 1) {
    // A move to more partitions narrows the subjects (move-partitions.ts).
    return createStream(bus, { ...settings, subjects: existing?.subjects ?? settings.subjects });
  }
  if (existing === undefined && (await settingsOf(bus, name)) !== undefined)
    throw new Error(`${name} is one stream. Move it with "almanac partitions move", or set NATS_PARTITIONS=1.`);
  await createStream(bus, { ...settings, description: descriptionOf(partition, count) });
};

const settingsOf = (bus: Bus, server: string): Promise<StreamConfig | undefined> =>
  retryUntilDone(
    bus,
    { what: `to find the stream ${server}`, timeoutMs: 0 },
    async () => (await unlessMissing(bus[rawJetStream].jsm.streams.info(server)))?.config,
  );

export const descriptionOf = (partition: number, count: number): string => `partition ${partition} of ${count}`;

/** The description of a stream whose events are in partitions now. */
export const movedTo = (count: number): string => `moved to ${count} partitions`;

/** Throws if the stream was made with another number of partitions: its subjects would be searched elsewhere. */
const requireSameCount = (
  bus: Bus,
  name: StreamName,
  { partition, config }: { partition: number; config: { name: string; description?: string } },
): void => {
  const count = partitionCount(bus, name);
  const expected = count === 1 ? 'one stream' : descriptionOf(partition, count);
  const { description = expected } = config;
  if (description === expected) return;
  throw new Error(`${config.name} is "${description}", but NATS_PARTITIONS needs "${expected}".`);
};

/** Creates the stream of dead letters. It stores them for 30 days. */
export const ensureDeadLetters = (bus: Bus): Promise<void> =>
  createStream(bus, {
    name: deadLetterStream,
    subjects: [subjects.dead('*')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // A full stream of dead letters makes consumers wait. It loses none before its age.
    discard: DiscardPolicy.New,
    max_age: nanos(30 * 24 * 3_600_000),
    num_replicas: bus.replicas,
    // A service may read the newest dead letter of its own consumers, and of no others.
    allow_direct: true,
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

const streamNameInUse = 10058;
const subjectsOverlap = 10065;
const overlapAttempts = 5;
const overlapWaitMs = 50;

/**
 * Creating a stream that exists with equal settings succeeds; with other settings it is updated. While another
 * process creates the same stream, its subjects exist before its name (3 of 600 rounds on 2.9). An overlap is
 * therefore tried again.
 */
export const createStream = async (bus: Bus, config: StreamSettings): Promise<void> => {
  await retryUntilDone(bus, { what: `to make the stream ${config.name}`, timeoutMs: 0 }, () => createOnce(bus, config));
  watchStream(bus, config.name);
};

type StreamSettings = Parameters<JetStreamManager['streams']['add']>[0] & { name: string };

/** A server with less storage than all limits together refuses one more. Then the stream has none, which doctor reports. */
const insufficientStorage = new Set<unknown>([10023, 10047]);

const createOnce = async (bus: Bus, config: StreamSettings): Promise<void> => {
  const limit = storageLimitOf(config.name, bus);
  try {
    await createWithLimit(bus, config, limit);
  } catch (error) {
    if (limit === undefined || !insufficientStorage.has(codeOf(error))) throw error;
    await createWithLimit(bus, config, undefined);
  }
};

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The server refuses a stream whose subjects another one stores. */
const overlapError = (name: string, cause: unknown): Error =>
  new Error(`${name} overlaps a stream that was made with another NATS_PARTITIONS. Set the earlier value.`, { cause });

const createWithLimit = async (bus: Bus, config: StreamSettings, limit: number | undefined): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bus[rawJetStream].jsm.streams.add({ ...config, ...(limit === undefined ? {} : { max_bytes: limit }) });
      return;
    } catch (error) {
      const code = codeOf(error);
      if (code === streamNameInUse) break;
      if (code === subjectsOverlap && attempt === overlapAttempts) throw overlapError(config.name, error);
      if (code !== subjectsOverlap) throw error;
      await delay(withJitter(overlapWaitMs));
    }
  }
  const { name, ...settings } = config;
  const { streams } = bus[rawJetStream].jsm;
  const { state } = await streams.info(name);
  const isApplied = limit !== undefined && isLimitApplied(limit, state.bytes);
  // Without it the stream keeps the limit that it has.
  await streams.update(name, { ...settings, ...(isApplied ? { max_bytes: limit } : {}) });
};

/**
 * Waits until a stream exists. Its owner creates it, and all services of a system start together, perhaps at a server
 * that is busy with other requests over millions of messages. Throws the server's error after 30 s, unless the
 * process waits without limit.
 */
export const awaitStream = (bus: Bus, name: StreamName): Promise<void> =>
  retryUntilDone(bus, { what: `for the stream ${name}`, timeoutMs: startWaitMs }, async () => {
    for (const partition of partitionsOf(bus, name)) {
      const info = () => bus[rawJetStream].jsm.streams.info(serverStream(bus, name, partition));
      const { config } = await repeatWhileSilent(info, stateOfConnection(bus.streams));
      requireSameCount(bus, name, { partition, config });
    }
  });
