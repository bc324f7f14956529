import { randomUUID } from 'node:crypto';
import { slabsPrefix } from '@almanac/object-store';
import { pluralize } from '@almanac/runtime';
import { copyObjects, megabytes, putObject, removeObjects } from './bucket.js';
import { backupTables, describeTables, transferPrefix } from './clickhouse.js';
import { type EarlierBackup, earlierObjects, filesIn, fullPartOf, tableParts } from './earlier-backup.js';
import type { BackupFile, FileWriter } from './files.js';
import type { Manifest } from './manifest.js';
import type { Stores } from './stores.js';

interface CopyDeps {
  readonly stores: Stores;
  readonly files: FileWriter;
  readonly print: (line: string) => void;
  readonly earlier?: EarlierBackup | undefined;
}

/** ClickHouse writes its BACKUP to the bucket, because both ClickHouse and this process reach it. */
export const copyTables = async ({ stores, files, print, earlier }: CopyDeps): Promise<Manifest['clickhouse']> => {
  const described = await describeTables(stores);
  const prefix = `${transferPrefix}${randomUUID()}/`;
  const full = `${transferPrefix}${randomUUID()}/`;
  const shared = earlier && (await shareFull(files, earlier));
  try {
    if (shared !== undefined) await putObject(stores.objects, shared.folder, { file: shared.head, prefix: full });
    const tables = described.tables.map(({ name }) => name);
    await backupTables(stores, { tables, prefix, full: shared && full });
    const takes = (): boolean => true;
    const copying = { files, objects: stores.objects, prefix, folder: tableParts.own, takes, print };
    const { count, bytes } = await copyObjects(copying);
    const rows = described.tables.reduce((sum, table) => sum + table.rows, 0);
    const sharedText = shared === undefined ? '' : `, ${megabytes(shared.bytes)} shared`;
    print(
      `ClickHouse: ${pluralize(tables.length, 'table')}, ${pluralize(rows, 'row')}, ${pluralize(count, 'file')}, ${megabytes(bytes)}${sharedText}`,
    );
    return { ...described, ...(shared !== undefined && { incremental: true }) };
  } finally {
    await removeObjects(stores.objects, prefix);
    await removeObjects(stores.objects, full);
  }
};

/** ClickHouse finds in this file what a backup has. It needs no other one to write only what is new. */
const headKey = '.backup';

/**
 * Adds the full backup of ClickHouse that an earlier backup has, so that this one is complete without any other. Undefined
 * if the disk cannot share it.
 */
const shareFull = async (files: FileWriter, earlier: EarlierBackup) => {
  const part = fullPartOf(earlier);
  if (part === undefined) return undefined;
  const { folder } = earlier;
  let [head, bytes, count] = [undefined as BackupFile | undefined, 0, 0];
  for await (const file of filesIn(folder, part)) {
    const path = `${tableParts.full}/${String(count).padStart(7, '0')}`;
    if (!(await files.share(path, { folder, file }))) return undefined;
    if (file.key === headKey) head = file;
    bytes += file.bytes;
    count += 1;
  }
  return head && { folder, head, bytes };
};

export const copyBucket = async ({ stores, files, print, earlier }: CopyDeps): Promise<Manifest['objects']> => {
  // Slabs are made again, and after a restore they could be of other data.
  const takes = (key: string): boolean => !key.startsWith(transferPrefix) && !key.startsWith(slabsPrefix);
  const from = { files, objects: stores.objects, prefix: '', folder: 'bucket', takes, print };
  const { sharedBytes, ...copied } = await copyObjects({ ...from, earlier: earlier && earlierObjects(earlier) });
  const shared = earlier === undefined ? '' : `, ${megabytes(sharedBytes)} shared`;
  print(`Bucket: ${pluralize(copied.count, 'object')}, ${megabytes(copied.bytes)}${shared}`);
  return copied;
};
