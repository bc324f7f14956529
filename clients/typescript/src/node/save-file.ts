import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import * as files from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { FileError } from '../errors.js';
import { type DownloadOptions, type ExportFile, fileBytes, type Hash } from '../exports/file-bytes.js';
import type { Transport } from '../http/transport.js';
import { codeOf, diskFull, fileErrorOf } from './file-errors.js';

export interface SaveOptions extends DownloadOptions {
  /** Replaces another file of this name, and removes a part of another export. Default false. */
  readonly overwrite?: boolean | undefined;
}

export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The bytes that an earlier download had stored. */
  readonly resumedFrom: number;
}

/** Stores a file with the client's connections. */
export type SaveFile = (file: ExportFile, path: string, options: SaveOptions) => Promise<SavedFile>;

const { mkdir, open, readdir, rename, rm, stat } = files;

const nodeHash = (): Hash => {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') };
};

export const saveFile = async (
  transport: Transport,
  file: ExportFile,
  target: string,
  options: SaveOptions,
): Promise<SavedFile> => {
  try {
    const path = await pathOf(file, target);
    await mkdir(dirname(path), { recursive: true });
    if (await isThere(path, file, options)) return { path, ...factsOf(file), resumedFrom: file.bytes };
    const part = `${path}.${file.sha256.slice(0, 16)}.part`;
    await removeOthers(path, part, options);
    const resumedFrom = await fetchInto(part, { transport, file, options });
    await keep(part, path, file);
    return { path, ...factsOf(file), resumedFrom };
  } catch (error) {
    throw fileErrorOf(error, target);
  }
};

const keep = async (part: string, path: string, file: ExportFile): Promise<void> => {
  try {
    await rename(part, path);
  } catch (error) {
    // Another download of the same file was faster.
    if (codeOf(error) !== 'ENOENT' || !(await isThere(path, file, {}))) throw error;
  }
};

const factsOf = ({ bytes, sha256 }: ExportFile) => ({ bytes, sha256 });

/** Undefined if there is nothing. A rename would replace a device such as `/dev/null`, for every program of the machine. */
const sizeOf = async (path: string): Promise<number | undefined> => {
  const found = await stat(path).catch(absent);
  if (found === undefined || found.isFile()) return found?.size;
  throw new FileError({
    code: 'file_unwritable',
    detail: `${path} is not an ordinary file.`,
    remedy: 'Choose another path. Only ordinary files can be verified before they get their name.',
  });
};

const absent = (error: unknown): undefined => {
  if (codeOf(error) !== 'ENOENT') throw error;
};

/** The server chooses the name of the file, but not its folder. */
const pathOf = async ({ filename, id }: ExportFile, target: string): Promise<string> => {
  const isFolder = target.endsWith(sep) || target.endsWith('/') || (await stat(target).catch(absent))?.isDirectory();
  const name = basename(filename.replaceAll('\\', '/'));
  return isFolder === true ? join(target, name === '' || name === '..' ? id : name) : target;
};

/** Whether the whole file is there already. Another file of this name is not replaced without being asked to. */
const isThere = async (path: string, file: ExportFile, { overwrite = false }: SaveOptions): Promise<boolean> => {
  const size = await sizeOf(path);
  if (size === undefined) return false;
  if (size === file.bytes && (await hashOf(path)).hex() === file.sha256) return true;
  if (overwrite) return false;
  throw conflict(path, `${path} exists and is not the file of export ${file.id}.`);
};

const conflict = (path: string, detail: string): FileError =>
  new FileError({
    code: 'file_conflict',
    detail,
    remedy: `Delete ${basename(path)}, choose another path, or pass overwrite: true.`,
  });

/** A part that another export left shows that two downloads use one name. */
const removeOthers = async (path: string, part: string, { overwrite = false }: SaveOptions): Promise<void> => {
  const names = await readdir(dirname(path));
  const isPart = (name: string): boolean =>
    name.startsWith(`${basename(path)}.`) && /^[0-9a-f]{16}\.part$/.test(name.slice(basename(path).length + 1));
  for (const name of names.filter((each) => isPart(each) && each !== basename(part))) {
    const other = join(dirname(path), name);
    if (!overwrite) throw conflict(other, `${other} is a part of the file of another export.`);
    await rm(other);
  }
};

const hashOf = async (path: string): Promise<Hash> => {
  const hash = nodeHash();
  for await (const piece of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(piece as Uint8Array);
  return hash;
};

interface Fetch {
  readonly transport: Transport;
  readonly file: ExportFile;
  readonly options: SaveOptions;
}

/** Completes the part. Its bytes are on the disk before it gets its name. Returns how many were there. */
const fetchInto = async (part: string, { transport, file, options }: Fetch): Promise<number> => {
  const size = (await sizeOf(part)) ?? 0;
  const from = size > file.bytes ? 0 : size;
  await checkSpace(dirname(part), file.bytes - from);
  const hash = from === 0 ? nodeHash() : await hashOf(part);
  // Two downloads at once write the same bytes at the same places, so neither truncates.
  const handle = await open(part, constants.O_RDWR | constants.O_CREAT);
  const disk = diskOf(handle);
  let at = from;
  try {
    for await (const piece of fileBytes({ transport, file, options, from, hash })) {
      await writeAll(handle, piece, at);
      at += piece.length;
      disk.wrote(piece.length);
    }
    await handle.truncate(file.bytes);
    await disk.end();
  } catch (error) {
    // The bytes are wrong, and a later download must not continue them.
    if (error instanceof FileError) await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return from;
};

/** After so many bytes, the disk begins to store them. */
const flushBytes = 67_108_864;

/** Brings bytes to the disk while more of them arrive, because a gigabyte at the end would take seconds. */
const diskOf = (handle: files.FileHandle) => {
  let bytes = 0;
  let flushing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await handle.datasync();
    flushing = undefined;
  };
  return {
    wrote: (more: number): void => {
      bytes += more;
      if (bytes < flushBytes || flushing !== undefined) return;
      bytes = 0;
      flushing = flush();
      // A failure is thrown at the end.
      flushing.catch(() => undefined);
    },
    end: async (): Promise<void> => {
      await flushing;
      await handle.sync();
    },
  };
};

const writeAll = async (handle: files.FileHandle, piece: Uint8Array, at: number): Promise<void> => {
  for (let done = 0; done < piece.length;) {
    const { bytesWritten } = await handle.write(piece, done, piece.length - done, at + done);
    done += bytesWritten;
  }
};

/** Fails before the first byte, and not after an hour. Node before 18.15 cannot tell. */
const checkSpace = async (folder: string, bytes: number): Promise<void> => {
  const { statfs } = files as Partial<typeof files>;
  if (statfs === undefined) return;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes) throw diskFull(`${folder} has ${bavail * bsize} free bytes, and ${bytes} are needed.`);
};
