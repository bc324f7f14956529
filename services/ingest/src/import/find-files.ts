import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ImportError, sentenceOf } from '../errors.js';

/** The files to import, folders walked in order of name; hidden ones (`.DS_Store`) are passed over. */
export const findFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of paths) found.push(...(await filesAt(path)));
  if (found.length === 0) throw new ImportError(`there is no file in ${paths.join(', ')}`);
  return [...new Set(found)];
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
