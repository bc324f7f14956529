import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ImportError, sentenceOf } from '../errors.js';

export interface FoundFile {
  readonly path: string;
  /** It was asked for by name, and not found in a folder. */
  readonly isNamed: boolean;
}

/** The files to import, folders walked in order of name; hidden ones (`.DS_Store`) are passed over. */
export const findFiles = async (paths: readonly string[]): Promise<readonly FoundFile[]> => {
  const found: string[] = [];
  for (const path of paths) found.push(...(await filesAt(path)));
  if (found.length === 0) throw new ImportError(`there is no file in ${paths.join(', ')}`);
  return Array.from(new Set(found), (path) => ({ path, isNamed: paths.includes(path) }));
};

const filesAt = async (path: string): Promise<readonly string[]> => {
  if (!(await isFolder(path))) return [path];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).toSorted();
  const inside: string[] = [];
  for (const name of names) inside.push(...(await filesAt(join(path, name))));
  return inside;
};

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new ImportError(`${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
