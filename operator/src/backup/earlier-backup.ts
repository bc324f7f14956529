import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListedObject } from '@almanac/object-store';
import { type BackupFile, filesOf, isInPart, type SharedFile } from './files.js';
import { type Manifest, readManifest } from './manifest.js';

/** A complete backup whose unchanged files a new one shares. */
export interface EarlierBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The complete backups in a folder, oldest first, and what else is there. */
export const backupsIn = async (parent: string): Promise<{ complete: EarlierBackup[]; others: string[] }> => {
  const complete: EarlierBackup[] = [];
  const others: string[] = [];
  for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue;
    const folder = join(parent, entry.name);
    const manifest = await readManifest(folder).catch(() => undefined);
    if (manifest === undefined) others.push(folder);
    else complete.push({ folder, manifest });
  }
  return { complete: complete.toSorted((one, other) => one.manifest.started_us - other.manifest.started_us), others };
};

/** The newest complete backup beside a new one. */
export const earlierBackup = async (folder: string): Promise<EarlierBackup | undefined> =>
  (await backupsIn(dirname(folder))).complete.at(-1);

export interface EarlierObjects {
  /** The file of this object, if it has the same bytes. Ask in the order of the keys. */
  find(object: Pick<ListedObject, 'key' | 'etag' | 'bytes'>): Promise<SharedFile | undefined>;
}

/** The objects of the bucket in an earlier backup. Reads its list once, since both lists are in the order of the keys. */
export const earlierObjects = ({ folder }: EarlierBackup): EarlierObjects => {
  const files = filesIn(folder, 'bucket');
  let next: BackupFile | undefined;
  let isOver = false;
  const advance = async (): Promise<void> => {
    const { done, value } = await files.next();
    isOver = done === true;
    next = value ?? undefined;
  };
  return {
    find: async ({ key, etag, bytes }) => {
      if (next === undefined && !isOver) await advance();
      while (next !== undefined && isBefore(next.key ?? '', key)) await advance();
      const isSame = next?.key === key && etag !== undefined && next.etag === etag && next.bytes === bytes;
      return isSame && next !== undefined ? { folder, file: next } : undefined;
    },
  };
};

/** Stores list keys in the order of their bytes. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

/** The files of a part of a backup. */
export async function* filesIn(folder: string, part: string): AsyncGenerator<BackupFile, void, void> {
  for await (const file of filesOf(folder)) if (isInPart(file, part)) yield file;
}

/** The tables: what ClickHouse wrote, and for an incremental backup the full one that it refers to. */
export const tableParts = { own: 'clickhouse', full: 'clickhouse-full' } as const;

/** The part with a full backup of ClickHouse, to which the next one can refer. Undefined for a cluster. */
export const fullPartOf = ({ manifest }: EarlierBackup): string | undefined => {
  if (manifest.clickhouse.shards !== undefined) return undefined;
  return manifest.clickhouse.incremental === true ? tableParts.full : tableParts.own;
};
