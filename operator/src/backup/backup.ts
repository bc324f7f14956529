import { mkdir, readdir } from 'node:fs/promises';
import {
  type AdminBus,
  expectedTopology,
  backedUpConsumers,
  personalStream,
  positionsOf,
  backUpStream,
  serverConsumers,
  serverStreams,
  StreamBackupError,
} from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';
import { ObjectStoreError } from '@almanac/object-store';
import { pluralize, unixMicros } from '@almanac/runtime';
import { UsageError } from '../error-message.js';
import { megabytes } from './bucket.js';
import { copyBucket, copyTables } from './copy-stores.js';
import type { EarlierBackup } from './earlier-backup.js';
import { type FileWriter, writeFiles } from './files.js';
import { type Manifest, writeManifest } from './manifest.js';
import type { Stores } from './stores.js';
import { copyWaitingFiles } from './waiting-files.js';
import { countWebhookSecrets } from './webhook-secrets.js';

interface BackupDeps {
  readonly bus: AdminBus;
  readonly stores: Stores;
  readonly files: FileWriter;
  readonly print: (line: string) => void;
  readonly earlier: EarlierBackup | undefined;
}

interface BackupOptions {
  readonly folder: string;
  readonly stores: Stores;
  readonly print: (line: string) => void;
  readonly importHome: string | null;
  /** An incremental backup shares with it what has not changed. */
  readonly earlier?: EarlierBackup | undefined;
}

/**
 * Copies a running system into a new folder. The order makes the copy consistent: consumer positions, streams,
 * ClickHouse, bucket (docs/decisions/034-backups.md).
 */
export const backUp = async (
  bus: AdminBus,
  { folder, stores, print, importHome, earlier }: BackupOptions,
): Promise<Manifest> => {
  await makeFolder(folder);
  const started_us = unixMicros();
  const files = await writeFiles(folder);
  const deps: BackupDeps = { bus, stores, files, print, earlier };
  const positions = await positionsOf(bus, serverConsumers(bus, backedUpConsumers));
  if (importHome !== null) await copyWaitingFiles(files, importHome);
  const streams = await copyStreams(deps);
  const webhook_secrets = await countWebhookSecrets(bus);
  const clickhouse = await copyTables(deps);
  const objects = await copyBucket(deps);
  const { count, list } = await files.finish();
  const made: Manifest = {
    // An earlier release cannot restore an incremental backup, and says so.
    format: clickhouse.incremental === true ? 2 : 1,
    started_us,
    ended_us: unixMicros(),
    nats_version: bus.nc.info?.version ?? 'unknown',
    streams,
    webhook_secrets,
    positions,
    clickhouse,
    objects,
    files: { count, list },
  };
  await writeManifest(folder, made);
  return made;
};

/** A backup is of one moment, so a folder holds only one. It contains personal data, so only its owner may read it. */
const makeFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty. Name a new folder.`);
};

/** A stream comes before the streams that it refers to. */
const streamOrder: readonly (StreamName | typeof personalStream)[] = [
  'EVT_STRIPE',
  'EVT_EXPORT',
  'EVT_FILE',
  'EVT_KEYS',
  'EVT_WEBHOOK',
  'EVT_COMMERCE',
  personalStream,
  'EVT_ARCHIVE',
  'EVT_CATALOG',
];

const copyStreams = async ({ bus, files, print }: BackupDeps): Promise<Manifest['streams']> => {
  const copied: Manifest['streams'] = [];
  const others = expectedTopology.streams.filter((name) => !streamOrder.some((known) => known === name));
  for (const name of serverStreams(bus, [...streamOrder, ...others])) {
    const { config, extent, chunks } = await backUpStream(bus, name);
    const { path, bytes } = await files.add(`streams/${name}`, chunks);
    copied.push({ name, path, extent, config });
    print(`${name}: ${pluralize(extent.messages, 'message')} up to ${extent.last_seq}, ${megabytes(bytes)}`);
  }
  return copied;
};

/** Turns a server's error into a sentence for the user. An unexpected error passes through. */
export const knownFailure = (error: unknown): unknown =>
  error instanceof StreamBackupError || error instanceof ObjectStoreError
    ? new UsageError(
        `${error.message.replace(/\.$/, '')}. No data is lost. Check that server, then start again with a new folder.`,
        { cause: error },
      )
    : error;
