import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, sorted by path. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []))
    .toSorted();
