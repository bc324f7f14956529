import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All files of a folder and those in it, in order of path. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []))
    .toSorted();
