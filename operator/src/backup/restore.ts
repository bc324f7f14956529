import {
  type AdminBus,
  eventStream,
  partitionCount,
  queryProcessStatus,
  restorePosition,
  restoreStream,
  type StreamExtent,
} from '@almanac/bus';
import { knownMigrations } from '@almanac/clickhouse';
import { pluralize } from '@almanac/runtime';
import { JetStreamApiError } from '@nats-io/jetstream';
import { UsageError } from '../error-message.js';
import { megabytes, putObject, requireEmptyBucket } from './bucket.js';
import { requireEmptyDatabase } from './clickhouse.js';
import { DamagedBackup, filesOf, isInPart, readBack, verifyFiles } from './files.js';
import { type Manifest, readManifest } from './manifest.js';
import { requireSameShards, restoreClickHouse } from './restore-clickhouse.js';
import type { Target } from './target.js';

export interface VerifiedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Reads every byte of a backup. Throws a UsageError if it is incomplete or its schema is newer than this code. */
export const checkBackup = async (folder: string): Promise<VerifiedBackup> => {
  const manifest = await readManifest(folder);
  const known = new Set(await knownMigrations());
  const unknown = manifest.clickhouse.schema.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `This backup was made by a newer version: it has the migration ${unknown}. Restore it with that version.`,
    );
  }
  await verifyFiles(folder, manifest.files);
  return { folder, manifest };
};

/**
 * Restores a backup to empty servers while no service runs. It goes in reverse order, so what events refer to exists
 * before them. At the end it counts everything and throws a UsageError that names any difference.
 */
export const restore = async ({ folder, manifest }: VerifiedBackup, target: Target): Promise<void> => {
  await requireEmpty(manifest, target);
  await restoreObjects(folder, target);
  await restoreClickHouse({ folder, manifest }, target);
  await restoreStreams({ folder, manifest }, target);
};

const requireEmpty = async (manifest: Manifest, { bus, stores }: Target): Promise<void> => {
  const [running] = await queryProcessStatus(bus);
  if (running !== undefined) {
    throw new UsageError(
      `The service ${running.service} (${running.instance}) is running. Stop every service before a restore.`,
    );
  }
  requireVersion(manifest.nats_version, bus.nc.info?.version ?? '0.0');
  requirePartitions(manifest, bus);
  for (const { name } of manifest.streams) await requireNoStream(bus, name);
  await requireEmptyDatabase(stores);
  await requireSameShards(manifest, stores);
  await stores.objects.ensureBucket();
  await requireEmptyBucket(stores.objects);
};

/** A server can read what an older one wrote, but not what a newer one wrote. */
const requireVersion = (packed: string, now: string): void => {
  const [major = 0, minor = 0] = packed.split('.').map(Number);
  const [majorNow = 0, minorNow = 0] = now.split('.').map(Number);
  if (majorNow > major || (majorNow === major && minorNow >= minor)) return;
  throw new UsageError(
    `The backup was made with nats-server ${packed}, which is newer than this server (${now}). Upgrade the server, then try again.`,
  );
};

/** The services would not find the events of a stream with another number of partitions. */
const requirePartitions = ({ streams }: Manifest, bus: AdminBus): void => {
  for (const stream of new Set(streams.map(({ name }) => eventStream(name)))) {
    const copied = streams.filter(({ name }) => eventStream(name) === stream).length;
    if (copied === partitionCount(bus, stream)) continue;
    throw new UsageError(
      `The backup has ${pluralize(copied, 'partition')} of ${stream}. Set NATS_PARTITIONS=${copied}.`,
    );
  }
};

const streamNotFound = 10059;

const requireNoStream = async (bus: AdminBus, name: string): Promise<void> => {
  try {
    await bus.jsm.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return;
    throw error;
  }
  throw new UsageError(
    `NATS already has the stream ${name}. Restore into a new NATS server: the restore creates all streams.`,
  );
};

const restoreObjects = async (folder: string, { stores, print }: Target): Promise<void> => {
  let [count, bytes] = [0, 0];
  for await (const file of filesOf(folder)) {
    if (!isInPart(file, 'bucket')) continue;
    await putObject(stores.objects, folder, { file, prefix: '' });
    count += 1;
    bytes += file.bytes;
  }
  print(`Bucket: ${pluralize(count, 'object')}, ${megabytes(bytes)}`);
};

/** Servers report the start of an empty stream in different ways. */
const isSame = (now: StreamExtent, then: StreamExtent): boolean =>
  now.messages === then.messages &&
  (then.messages === 0 || (now.first_seq === then.first_seq && now.last_seq === then.last_seq));

const restoreStreams = async ({ folder, manifest }: VerifiedBackup, { bus, print }: Target): Promise<void> => {
  for (const { name, path, extent, config } of manifest.streams) {
    const chunks = readBack(folder, { path });
    const settings = { ...config, name, num_replicas: bus.replicas };
    const now = await restoreStream(bus, { config: settings, extent, chunks });
    if (!isSame(now, extent)) {
      throw new DamagedBackup(path, `became ${now.messages} messages up to ${now.last_seq}`);
    }
    print(`${name}: ${pluralize(now.messages, 'message')} up to ${now.last_seq}`);
  }
  for (const position of manifest.positions) await restorePosition(bus, position);
  print(`Consumers: ${pluralize(manifest.positions.length, 'position')}`);
};
