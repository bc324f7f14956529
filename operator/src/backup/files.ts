import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { UsageError } from '../error-message.js';

/** A file of a backup, by its path in the folder. For an object, `key` and `content_type` describe it. */
export const backupFile = z.object({
  path: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  key: z.string().optional(),
  content_type: z.string().optional(),
  /** Of the object when it was copied. */
  etag: z.string().optional(),
});
export type BackupFile = z.output<typeof backupFile>;

/** A file of a backup differs from what was written, so it must not be restored. */
export class DamagedBackup extends UsageError {
  constructor(path: string, why: string) {
    super(`This backup is damaged and was not restored: ${path} ${why}.`);
  }
}

/** A file of an earlier backup. */
export interface SharedFile {
  readonly folder: string;
  readonly file: BackupFile;
}

const listName = 'files.jsonl';

export type FileWriter = Awaited<ReturnType<typeof writeFiles>>;

/** Writes files and their list into a folder, without holding their bytes in memory. */
export const writeFiles = async (folder: string) => {
  const list = await open(join(folder, listName), 'wx', 0o600);
  let count = 0;
  const record = async (file: BackupFile): Promise<void> => {
    await list.appendFile(`${JSON.stringify(file)}\n`);
    count += 1;
  };
  const write = async (path: string, source: AsyncIterable<Uint8Array>): Promise<BackupFile> => {
    const full = join(folder, path);
    await mkdir(dirname(full), { recursive: true, mode: 0o700 });
    const sum = summing();
    await pipeline(source, sum.through, createWriteStream(full, { flags: 'w', mode: 0o600, flush: true }));
    return { path, ...sum.result() };
  };
  return {
    /** Writes a stream to a file at the speed of the disk. Resolves when the file is on disk. */
    add: async (
      path: string,
      source: AsyncIterable<Uint8Array>,
      object?: { key: string; contentType: string | undefined; etag?: string | undefined },
    ): Promise<BackupFile> => {
      const file = await write(path, source);
      const { key, contentType, etag } = object ?? {};
      const line = {
        ...file,
        ...(key === undefined ? {} : { key }),
        ...(contentType === undefined ? {} : { content_type: contentType }),
        ...(etag === undefined ? {} : { etag }),
      };
      await record(line);
      return line;
    },
    /** Shares a file with an earlier backup, which is the same file on the disk. False on a disk that cannot do so. */
    share: async (path: string, { folder: earlier, file }: SharedFile): Promise<boolean> => {
      const full = join(folder, path);
      await mkdir(dirname(full), { recursive: true, mode: 0o700 });
      const isShared = await link(join(earlier, file.path), full).then(
        () => true,
        () => false,
      );
      if (isShared) await record({ ...file, path });
      return isShared;
    },
    /** Closes the list of all files, which is a file itself. */
    finish: async (): Promise<{ count: number; list: BackupFile }> => {
      await list.sync();
      await list.close();
      return { count, list: await sumOf(folder, listName) };
    },
  };
};

export async function* filesOf(folder: string): AsyncGenerator<BackupFile, void, void> {
  const lines = createInterface({ input: createReadStream(join(folder, listName)), crlfDelay: Infinity });
  for await (const line of lines) yield backupFile.parse(JSON.parse(line));
}

/** Reads every byte. Throws a DamagedBackup if a file differs from its checksum. */
export const verifyFiles = async (
  folder: string,
  { count, list }: { count: number; list: BackupFile },
): Promise<void> => {
  await verifyFile(folder, list);
  let seen = 0;
  for await (const file of filesOf(folder)) {
    await verifyFile(folder, file);
    seen += 1;
  }
  if (seen !== count) throw new DamagedBackup(listName, `names ${seen} files, not ${count}`);
};

const verifyFile = async (folder: string, { path, bytes, sha256 }: BackupFile): Promise<void> => {
  const found = await stat(join(folder, path)).catch(() => undefined);
  if (found === undefined) throw new DamagedBackup(path, 'is missing');
  if (found.size !== bytes) throw new DamagedBackup(path, `has ${found.size} bytes, not ${bytes}`);
  if ((await sumOf(folder, path)).sha256 !== sha256) throw new DamagedBackup(path, 'does not match its checksum');
};

const sumOf = async (folder: string, path: string): Promise<BackupFile> => {
  const sum = summing();
  for await (const _ of sum.through(createReadStream(join(folder, path)))) continue;
  return { path, ...sum.result() };
};

const summing = () => {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* through(this: void, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { through, result: () => ({ bytes, sha256: hash.digest('hex') }) };
};

export const readBack = (folder: string, { path }: Pick<BackupFile, 'path'>) =>
  createReadStream(join(folder, path), { highWaterMark: 131_072 });

/** A part of a backup is a folder, such as `bucket`. */
export const isInPart = ({ path }: BackupFile, part: string): boolean => path.startsWith(`${part}/`);
