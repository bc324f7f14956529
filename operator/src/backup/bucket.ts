import { type ObjectStore } from '@almanac/object-store';
import { UsageError } from '../error-message.js';
import { type BackupFile, DamagedBackup, type FileWriter, readBack } from './files.js';

const reportEveryMs = 5_000;

interface Copying {
  readonly files: FileWriter;
  readonly objects: ObjectStore;
  /** Copies only keys with this prefix, and stores them without it. */
  readonly prefix: string;
  /** The folder within the backup. */
  readonly folder: string;
  readonly takes: (key: string) => boolean;
  readonly print: (line: string) => void;
}

/** Copies objects into files, one after the other. An object that vanished after it was listed is skipped. */
export const copyObjects = async (copying: Copying): Promise<{ count: number; bytes: number }> => {
  const { files, objects, prefix, folder, takes, print } = copying;
  let [count, bytes, reportedAt] = [0, 0, performance.now()];
  for await (const { key } of objects.list(prefix)) {
    if (!takes(key)) continue;
    const found = await objects.read(key);
    if (found === undefined) continue;
    const { body, contentType } = found;
    // A key can be too long for a file name, or contain invalid characters.
    const path = `${folder}/${String(count).padStart(7, '0')}`;
    const file = await files.add(path, body, { key: key.slice(prefix.length), contentType });
    count += 1;
    bytes += file.bytes;
    if (performance.now() - reportedAt < reportEveryMs) continue;
    reportedAt = performance.now();
    print(`  ${count} objects so far, ${megabytes(bytes)}`);
  }
  return { count, bytes };
};

/** Stores a file of the backup as its object: completely, or not at all with a DamagedBackup. */
export const putObject = async (
  objects: ObjectStore,
  folder: string,
  { file, prefix }: { file: BackupFile; prefix: string },
): Promise<void> => {
  if (file.key === undefined) throw new DamagedBackup(file.path, 'names no object');
  const contentType = file.content_type ?? 'application/octet-stream';
  const stored = await objects.putStream(`${prefix}${file.key}`, readBack(folder, file), { contentType });
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
