import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@almanac/contracts';
import { z } from 'zod';
import { isFileSystemError } from './detect-format.js';

/** A file whose markets no catalogue has named yet. When one does, the file is imported again, in the same way. */
const waitingFile = z.object({
  /** The name in reports: in a container, the name of the container and of the file. */
  file: z.string(),
  /** The file on disk. */
  place: z.string(),
  bytes: z.int(),
  /** Of its size, its first and its last megabyte. Null: it cannot be read, and so never counts as unchanged. */
  digest: z.string().nullable(),
  /** Conditions and tokens, at most `idsMax`. */
  ids: z.array(z.string()),
  ids_n: z.int(),
  since: z.string(),
  how: z.object({
    mapping: z.string().nullable(),
    sample_us: z.int(),
    sequence: z.enum(['shared', 'market', 'none']).nullable(),
    exact: z.boolean(),
  }),
});
export type WaitingFile = z.infer<typeof waitingFile>;

/** Ids of one file. A file with more waits for these. */
export const idsMax = 10_000;
/** Files that can wait. */
const filesMax = 10_000;

export interface WaitingFiles {
  list(): Promise<readonly WaitingFile[]>;
  put(waiting: WaitingFile): Promise<void>;
  remove(file: string): Promise<void>;
}

/** The list on disk: one document a file, so that imports that run at the same time do not overwrite each other. */
export const waitingFiles = (folder: string): WaitingFiles => {
  const pathOf = (file: string): string => join(folder, `${sha256(file).slice(0, 32)}.json`);
  return {
    list: async () => {
      const names = (await namesIn(folder)).filter((name) => name.endsWith('.json')).slice(0, filesMax);
      const found: WaitingFile[] = [];
      for (const name of names) {
        const read = waitingFile.safeParse(parseJson(await textOf(join(folder, name))));
        if (read.success) found.push(read.data);
      }
      return found.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    },
    put: async (waiting) => {
      await mkdir(folder, { recursive: true });
      const path = pathOf(waiting.file);
      const unfinished = `${path}.${process.pid}.new`;
      await writeFile(unfinished, `${JSON.stringify(waiting, null, 2)}\n`);
      await rename(unfinished, path);
    },
    remove: (file) => rm(pathOf(file), { force: true }),
  };
};

/** The list of a dry run, which stores nothing. */
export const waitingInMemory = (): WaitingFiles => {
  const files = new Map<string, WaitingFile>();
  return {
    list: () => Promise.resolve(Array.from(files.values())),
    put: (waiting) => Promise.resolve(void files.set(waiting.file, waiting)),
    remove: (file) => Promise.resolve(void files.delete(file)),
  };
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const absent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (absent(error)) return [];
    throw error;
  }
};

/** Empty if another import has removed it meanwhile. */
const textOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (absent(error)) return '';
    throw error;
  }
};

const partBytes = 1_048_576;

/** Shows whether a file is the same as before, without reading all of it. */
export const fingerprint = async (place: string): Promise<Pick<WaitingFile, 'bytes' | 'digest'>> => {
  try {
    const found = await stat(place);
    if (found.isDirectory()) return await ofFolder(place);
    const { size } = found;
    const hash = createHash('sha256').update(String(size));
    const handle = await open(place, 'r');
    try {
      const buffer = Buffer.alloc(partBytes);
      for (const from of new Set([0, Math.max(0, size - partBytes)])) {
        const { bytesRead } = await handle.read(buffer, 0, partBytes, from);
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
    return { bytes: size, digest: hash.digest('hex') };
  } catch (error) {
    if (isFileSystemError(error)) return { bytes: 0, digest: null };
    throw error;
  }
};

/** The parts of a capture by their names and sizes. */
const ofFolder = async (folder: string): Promise<Pick<WaitingFile, 'bytes' | 'digest'>> => {
  const parts: string[] = [];
  for (const name of (await readdir(folder)).toSorted())
    parts.push(`${name} ${String((await stat(join(folder, name))).size)}`);
  return { bytes: 0, digest: sha256(parts.join('\n')) };
};
