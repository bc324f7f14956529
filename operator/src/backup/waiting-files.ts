import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { filesOf, type FileWriter, isInPart } from './files.js';

/** Of a home: which imported files wait for markets. The importer's other files there can be lost. */
const waitingFolder = join('import', 'waiting');
const part = 'waiting';

export const copyWaitingFiles = async (files: FileWriter, home: string): Promise<void> => {
  const folder = join(home, waitingFolder);
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names.filter((one) => one.endsWith('.json')))
    await files.add(`${part}/${name}`, createReadStream(join(folder, name)));
};

export const restoreWaitingFiles = async (backup: string, home: string): Promise<number> => {
  const folder = join(home, waitingFolder);
  let count = 0;
  for await (const file of filesOf(backup)) {
    if (!isInPart(file, part)) continue;
    await mkdir(folder, { recursive: true });
    await copyFile(join(backup, file.path), join(folder, basename(file.path)));
    count += 1;
  }
  return count;
};
