import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { openSlab, type SlabFile } from './slab-file.js';
import type { SlabKey } from './slab-format.js';
import { receiveSlab } from './receive-slab.js';
import { type SlabContent, writeSlab } from './write-slab.js';

/** Why a slab was deleted. */
export type Discarded = 'space' | 'newer version' | 'unreadable';

export interface SlabFolderOptions {
  readonly folder: string;
  /** The least recently used slabs are deleted above this size. While one is written, it is exceeded by that one. */
  readonly bytesMax: number;
  readonly onDiscarded: (reason: Discarded) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/** The slabs on the disk of this process. One of each time range and kind, of the newest version that was made. */
export interface SlabFolder {
  readonly bytes: number;
  readonly bytesMax: number;
  readonly count: number;
  /** The open slab, if it is there, which stays open until its `leave`. An unreadable one is deleted. */
  open(key: SlabKey): Promise<SlabFile | undefined>;
  has(key: SlabKey): boolean;
  /** Writes a slab instead of older versions of it. Throws errors of the disk and of the content's rows. */
  write(content: SlabContent): Promise<void>;
  /** The same with the file of another process, which is verified. Throws a `SlabFault` if it is cut or corrupt. */
  receive(key: SlabKey, source: Readable): Promise<void>;
  /** The path of a slab, if it is there. It can be deleted at any time. */
  pathOf(key: SlabKey): string | undefined;
  /** Deletes a slab that could not be read. */
  discard(key: SlabKey, error: unknown): void;
  /** After the slabs of an earlier process were found. */
  readonly found: Promise<void>;
  /** Closes all files, which stay for the next process. */
  stop(): Promise<void>;
}

interface Entry {
  readonly path: string;
  readonly version: number;
  readonly bytes: number;
}

/** Of all open slabs. */
const openMax = 2_048;
const openBytesMax = 16 * 1_048_576;
/** An open slab has its index in memory, about 150 bytes for each block, which has about 30 KB. */
const memoryOf = (slabBytes: number): number => 2_048 + Math.ceil(slabBytes / 200);
const concurrentStats = 16;
const suffix = '.slab';

/** A slab of another version has the same name up to its version. */
const idOf = ({ ticker, kind, fromUs, toUs, repeated }: SlabKey): string =>
  createHash('sha256')
    .update(JSON.stringify([ticker, kind, fromUs, toUs, repeated]))
    .digest('hex')
    .slice(0, 40);
const fileName = /^([0-9a-f]{40})-(\d+)-[0-9a-f-]{36}\.slab$/;

export const slabFolder = ({ folder, bytesMax, onDiscarded, log }: SlabFolderOptions): SlabFolder => {
  const opened = openSlabs();
  const { entries, entryOf, put } = slabEntries(bytesMax, (path, reason) => {
    opened.close(path);
    onDiscarded(reason);
    rm(path, { force: true }).catch((error: unknown) => log.warn({ err: error, path }, 'a slab could not be deleted'));
  });
  const discard: SlabFolder['discard'] = (key, error) => {
    const entry = entryOf(key);
    if (entry === undefined) return;
    const { path } = entry;
    log.warn({ err: error, ticker: key.ticker, path }, 'a slab is unreadable; it is made again when needed');
    entries.delete(idOf(key));
  };
  const open: SlabFolder['open'] = async (key) => {
    const entry = entryOf(key);
    if (entry === undefined) return undefined;
    try {
      const file = await opened.get(entry, key);
      // It can be closed meanwhile, to make room for others.
      return file.enter() ? file : await open(key);
    } catch (error) {
      discard(key, error);
      return undefined;
    }
  };
  const found = findSlabs(folder, put).catch((error: unknown) =>
    log.warn({ err: error, folder }, 'the slabs of an earlier process cannot be read'),
  );
  const add = async (key: SlabKey, write: (path: string) => Promise<number>): Promise<void> => {
    await found;
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${idOf(key)}-${key.version}-${randomUUID()}${suffix}`);
    put(idOf(key), { path, version: key.version, bytes: await write(path) });
  };
  return {
    get bytes() {
      return entries.calculatedSize;
    },
    get count() {
      return entries.size;
    },
    bytesMax,
    open,
    discard,
    has: (key) => entryOf(key) !== undefined,
    write: (content) => add(content.key, (path) => writeSlab(path, content)),
    receive: (key, source) => add(key, (path) => receiveSlab(path, key, source)),
    pathOf: (key) => entryOf(key)?.path,
    found,
    stop: () => opened.stop(),
  };
};

/** What is in the folder. `remove` gets the file of every entry that leaves. */
const slabEntries = (bytesMax: number, remove: (path: string, reason: Discarded) => void) => {
  const reasons: Partial<Record<LRUCache.DisposeReason, Discarded>> = { set: 'newer version', delete: 'unreadable' };
  const entries = new LRUCache<string, Entry>({
    maxSize: bytesMax,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    dispose: ({ path }, _id, reason) => remove(path, reasons[reason] ?? 'space'),
  });
  return {
    entries,
    entryOf: (key: SlabKey): Entry | undefined => {
      const entry = entries.get(idOf(key));
      return entry?.version === key.version ? entry : undefined;
    },
    put: (id: string, entry: Entry): void => {
      const known = entries.peek(id);
      if (known !== undefined && known.version > entry.version) return remove(entry.path, 'newer version');
      entries.set(id, entry);
      // One that is larger than all of the space is not stored.
      if (entries.peek(id) !== entry) remove(entry.path, 'space');
    },
  };
};

/** The files that are open, of which the least recently used ones are closed. */
const openSlabs = () => {
  const files = new LRUCache<string, Promise<SlabFile>>({
    max: openMax,
    maxSize: openBytesMax,
    dispose: (slab) => void slab.then((file) => file.close()).catch(() => undefined),
  });
  return {
    get: ({ path, bytes }: Entry, key: SlabKey): Promise<SlabFile> => {
      const known = files.get(path);
      if (known !== undefined) return known;
      const slab = openSlab(path, key);
      files.set(path, slab, { size: memoryOf(bytes) });
      return slab;
    },
    close: (path: string): void => void files.delete(path),
    stop: async (): Promise<void> => {
      const open = [...files.values()];
      files.clear();
      await Promise.allSettled(open);
    },
  };
};

/** Finds the slabs of an earlier process, the least recently made first, and deletes what it did not finish. */
const findSlabs = async (folder: string, put: (id: string, entry: Entry) => void): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const found: { readonly id: string; readonly madeMs: number; readonly entry: Entry }[] = [];
  await forEachConcurrent(await readdir(folder), concurrentStats, async (name) => {
    const path = join(folder, name);
    if (name.endsWith(`${suffix}.tmp`)) return rm(path, { force: true });
    const [, id, version] = fileName.exec(name) ?? [];
    if (id === undefined) return;
    const { size, mtimeMs } = await stat(path);
    found.push({ id, madeMs: mtimeMs, entry: { path, version: Number(version), bytes: size } });
  });
  for (const { id, entry } of found.toSorted((a, b) => a.madeMs - b.madeMs)) put(id, entry);
};
