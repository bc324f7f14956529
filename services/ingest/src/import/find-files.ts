import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ImportError, sentenceOf } from '../errors.js';
import { isBookFolder, recorderFolderOf } from '../sources/book-folder.js';
import { isFileSystemError } from './detect-format.js';
import type { FilePlace } from '../sources/open-source.js';
import { containedFiles } from '../sources/packed/containers.js';

export interface FoundFile extends FilePlace {
  readonly isNamed: boolean;
  /** A folder of a recorder or a capture is imported as one recording. */
  readonly isFolder: boolean;
  /** Why the file cannot be read, or why the command line must name another path, and which. Null: it is the right one. */
  readonly misplaced: string | null;
}

/** The files to import. `anyPath`: a mapping reads a single file of a recording, too. Folders are walked in name order, and hidden files (`.DS_Store`) are skipped. */
export const findFiles = async (given: readonly string[], { anyPath = false } = {}): Promise<readonly FoundFile[]> => {
  const found = new Map<string, FoundFile>();
  for (const named of given) {
    const { path, misplaced } = anyPath ? { path: named, misplaced: null } : await placeOf(named);
    const files = misplaced === null ? await filesAt(path) : [{ path, isFolder: false, misplaced }];
    for (const one of files) found.set(keyOf(one), { ...one, isNamed: one.path === path });
  }
  if (found.size === 0) throw new ImportError(`No file found in ${given.join(', ')}`);
  return Array.from(found.values());
};

/** `raw_events/` of a recorder stands for its folder. A single file of such a folder is no recording. */
const placeOf = async (path: string): Promise<{ path: string; misplaced: string | null }> => {
  await isFolderAt(path);
  const recording = await recorderFolderOf(path);
  if (recording === null || recording === path) return { path, misplaced: null };
  if (basename(path) === 'raw_events' && dirname(path) === recording) return { path: recording, misplaced: null };
  return { path, misplaced: `this is a part of the recording ${recording}. Import that folder` };
};

/** Two files of a tar may have one name. */
const keyOf = ({ path, inside }: FilePlace): string =>
  inside ? `${path} ${inside.steps.map(({ index }) => index).join(' ')}` : path;

type FileAt = Omit<FoundFile, 'isNamed'>;

const filesAt = async (path: string): Promise<readonly FileAt[]> => {
  if (!(await isFolderAt(path))) return filesIn(path);
  if (await isBookFolder(path)) return [{ path, isFolder: true, misplaced: null }];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).toSorted();
  const inside: FileAt[] = [];
  for (const name of names) inside.push(...(await filesAt(join(path, name))));
  return inside;
};

/** The file, or the files inside of it. A file that cannot be opened fails later, in its own report. */
const filesIn = async (path: string): Promise<readonly FileAt[]> => {
  const contained = await containedFiles(path).catch((error: unknown) => {
    if (isFileSystemError(error)) return null;
    throw error;
  });
  if (contained === null) return [{ path, isFolder: false, misplaced: null }];
  return contained.map(({ steps, problem }) => ({
    path: [path, ...steps.map(({ name }) => name)].join('/'),
    ...(steps.length > 0 && { inside: { outer: path, steps } }),
    isFolder: false,
    misplaced: problem,
  }));
};

const isFolderAt = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new ImportError(`${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
