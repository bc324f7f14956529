import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ImportError, sentenceOf } from '../errors.js';
import { isBookFolder } from '../sources/book-folder.js';

export interface FoundFile {
  readonly path: string;
  readonly isNamed: boolean;
  /** A folder of a recorder or a capture is imported as one recording. */
  readonly isFolder: boolean;
}

/** The files to import. Folders are walked in name order, and hidden files (`.DS_Store`) are skipped. */
export const findFiles = async (paths: readonly string[]): Promise<readonly FoundFile[]> => {
  const found = new Map<string, boolean>();
  for (const path of paths) for (const one of await filesAt(path)) found.set(one.path, one.isFolder);
  if (found.size === 0) throw new ImportError(`No file found in ${paths.join(', ')}`);
  return Array.from(found, ([path, isFolder]) => ({ path, isNamed: paths.includes(path), isFolder }));
};

const filesAt = async (path: string): Promise<readonly Omit<FoundFile, 'isNamed'>[]> => {
  if (!(await isFolderAt(path))) return [{ path, isFolder: false }];
  if (await isBookFolder(path)) return [{ path, isFolder: true }];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).toSorted();
  const inside: Omit<FoundFile, 'isNamed'>[] = [];
  for (const name of names) inside.push(...(await filesAt(join(path, name))));
  return inside;
};

const isFolderAt = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new ImportError(`${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
