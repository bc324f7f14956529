import { randomUUID } from 'node:crypto';
import { knownMigrations, migrate } from '@almanac/clickhouse';
import { pluralize } from '@almanac/runtime';
import { UsageError } from '../error-message.js';
import { putObject, removeObjects } from './bucket.js';
import { describeTables, restoreTables, shardsOf, transferPrefix } from './clickhouse.js';
import { filesIn, tableParts } from './earlier-backup.js';
import type { Manifest } from './manifest.js';
import type { VerifiedBackup } from './restore.js';
import type { Stores } from './stores.js';
import type { Target } from './target.js';

/** ClickHouse restores each shard as it was copied, and a market would be on a shard where no query looks for it. */
export const requireSameShards = async (
  { clickhouse: { shards, schema } }: Manifest,
  { clickhouse }: Stores,
): Promise<void> => {
  const now = await shardsOf(clickhouse);
  if (now !== shards) {
    throw new UsageError(
      `The backup is of ${placesOf(shards)}, but this is ${placesOf(now)}. Restore it into ${placesOf(shards)}. docs/deploy.md tells how to move the rows.`,
    );
  }
  if (now === undefined) return;
  const later = (await knownMigrations()).find((name) => !schema.includes(name));
  if (later === undefined) return;
  throw new UsageError(
    `This backup was made by an older version: it has no migration ${later}. Restore a cluster with that version, then upgrade.`,
  );
};

const placesOf = (shards: number | undefined): string =>
  shards === undefined ? 'one server of ClickHouse' : `a cluster of ${pluralize(shards, 'shard')}`;

/** Restores the tables into an empty database and compares the rows of each with the manifest. */
export const restoreClickHouse = async (
  { folder, manifest }: VerifiedBackup,
  { stores, print }: Pick<Target, 'stores' | 'print'>,
): Promise<void> => {
  const prefix = `${transferPrefix}${randomUUID()}/`;
  const full = `${transferPrefix}${randomUUID()}/`;
  // Their engines name the cluster, so they are not those of the backup.
  if (stores.clickhouse.cluster !== undefined) await migrate(stores.clickhouse);
  try {
    for await (const file of filesIn(folder, tableParts.own)) await putObject(stores.objects, folder, { file, prefix });
    const isIncremental = manifest.clickhouse.incremental === true;
    if (isIncremental) {
      for await (const file of filesIn(folder, tableParts.full))
        await putObject(stores.objects, folder, { file, prefix: full });
    }
    await restoreTables(stores, { from: manifest.clickhouse, prefix, full: isIncremental ? full : undefined });
  } finally {
    await removeObjects(stores.objects, prefix);
    await removeObjects(stores.objects, full);
  }
  const { tables } = await describeTables(stores);
  for (const { name, rows } of manifest.clickhouse.tables) {
    const now = tables.find((table) => table.name === name)?.rows ?? 0;
    if (now < rows)
      throw new UsageError(
        `The table ${name} has ${pluralize(now, 'row')} after the restore, but the backup has ${rows}.`,
      );
    print(`${name}: ${pluralize(now, 'row')}`);
  }
  const applied = await migrate(stores.clickhouse);
  if (applied.length > 0) print(`The backup was of an older version; applied ${applied.join(', ')}`);
};
