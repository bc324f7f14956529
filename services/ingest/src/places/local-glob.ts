import { glob, stat } from 'node:fs/promises';

const sign = /[*?[{]/;

/** Whether a text has signs of a glob. */
export const isGlob = (text: string): boolean => sign.test(text);

/** The part of a glob before its first sign. */
export const fixedPart = (pattern: string): string => pattern.slice(0, pattern.search(sign));

/** Files that Spark writes beside the data, without rows of their own. */
const marker = /^_(?:SUCCESS|metadata|common_metadata|(?:started|committed)_\d+)$/;

/** Whether the system or a program hid a file or folder of this name, such as `.DS_Store`. */
export const isHiddenName = (name: string): boolean => name.startsWith('.') || marker.test(name);

/** What the system or a program hid below a folder. `below`: the folder, or a name that begins in it. */
export const isHiddenPath = (path: string, below: string): boolean =>
  path
    .slice(below.lastIndexOf('/') + 1)
    .split('/')
    .some(isHiddenName);

/** The paths of a glob in name order, or null if it is none, or a file or folder has this name. */
export const matchingPaths = async (pattern: string): Promise<readonly string[] | null> => {
  if (!isGlob(pattern) || (await isThere(pattern))) return null;
  const fixed = fixedPart(pattern);
  const found: string[] = [];
  for await (const path of glob(pattern)) if (!isHiddenPath(path, fixed)) found.push(path);
  return found.toSorted();
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};
