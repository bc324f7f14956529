import type { ListedObject, ObjectStore } from '@almanac/object-store';
import { UsageError } from '../error-message.js';
import { type BackupFile, DamagedBackup, type FileWriter, readBack } from './files.js';
import type { EarlierObjects } from './earlier-backup.js';

const reportEveryMs = 5_000;
/** A column of a large part of ClickHouse is one object: 150 GB at 20 MB/s take two hours. */
export const objectMsMax = 6 * 3_600_000;

interface Copying {
  readonly files: FileWriter;
  readonly objects: ObjectStore;
  /** Copies only keys with this prefix, and stores them without it. */
  readonly prefix: string;
  /** The folder within the backup. */
  readonly folder: string;
  readonly takes: (key: string) => boolean;
  readonly print: (line: string) => void;
  /** Objects of an earlier backup. Those that are still the same are not copied again. */
  readonly earlier?: EarlierObjects | undefined;
}

export interface CopiedObjects {
  readonly count: number;
  readonly bytes: number;
  /** Of these bytes, those that an earlier backup has. */
  readonly sharedBytes: number;
}

/** Copies objects into files, one after the other. An object that vanished after it was listed is skipped. */
export const copyObjects = async (copying: Copying): Promise<CopiedObjects> => {
  const { objects, prefix, takes, print } = copying;
  let [count, bytes, sharedBytes, reportedAt] = [0, 0, 0, performance.now()];
  for await (const object of objects.list(prefix)) {
    if (!takes(object.key)) continue;
    const copied = await copyObject(copying, object, count);
    if (copied === undefined) continue;
    count += 1;
    bytes += copied.bytes;
    sharedBytes += copied.isShared ? copied.bytes : 0;
    if (performance.now() - reportedAt < reportEveryMs) continue;
    reportedAt = performance.now();
    print(`  ${count} objects so far, ${megabytes(bytes)}`);
  }
  return { count, bytes, sharedBytes };
};

const copyObject = async (
  { files, objects, prefix, folder, earlier }: Copying,
  { key, etag, bytes }: ListedObject,
  at: number,
): Promise<{ bytes: number; isShared: boolean } | undefined> => {
  // A key can be too long for a file name, or contain invalid characters.
  const path = `${folder}/${String(at).padStart(7, '0')}`;
  const same = await earlier?.find({ key: key.slice(prefix.length), etag, bytes });
  if (same !== undefined && (await files.share(path, same))) return { bytes: same.file.bytes, isShared: true };
  const found = await objects.read(key, { bodyMs: objectMsMax });
  if (found === undefined) return undefined;
  const { body, contentType } = found;
  const file = await files.add(path, body, { key: key.slice(prefix.length), contentType, etag });
  return { bytes: file.bytes, isShared: false };
};

/** Stores a file of the backup as its object: completely, or not at all with a DamagedBackup. */
export const putObject = async (
  objects: ObjectStore,
  folder: string,
  { file, prefix }: { file: BackupFile; prefix: string },
): Promise<void> => {
  if (file.key === undefined) throw new DamagedBackup(file.path, 'names no object');
  const contentType = file.content_type ?? 'application/octet-stream';
  const stored = await objects.putStream(`${prefix}${file.key}`, readBack(folder, file), {
    contentType,
    bytes: file.bytes,
  });
  if (stored.bytes !== file.bytes) throw new DamagedBackup(file.path, `became an object of ${stored.bytes} bytes`);
};

export const removeObjects = async (objects: ObjectStore, prefix: string): Promise<void> => {
  const keys: string[] = [];
  for await (const { key } of objects.list(prefix)) keys.push(key);
  for (const key of keys) await objects.delete(key);
};

export const requireEmptyBucket = async (objects: ObjectStore): Promise<void> => {
  for await (const { key } of objects.list('')) {
    throw new UsageError(`The bucket is not empty: it has the object ${key}. Restore into an empty bucket.`);
  }
};

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
