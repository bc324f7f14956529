import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalServerError } from './errors.js';

const repositoryFolder = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The absolute path of a server's program: first in ALMANAC_BIN, then in the PATH, then where
 * `npm start` and `npm test` unpack what the machine lacks. Throws a LocalServerError with the remedy.
 */
export const findBinary = async (name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> => {
  for (const folder of searchedFolders(env)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  throw new LocalServerError(
    `${name} is neither in the PATH nor in .almanac/bin; run \`npm start\` or \`npm test\` once, which fetch it.`,
  );
};

const searchedFolders = (env: NodeJS.ProcessEnv): string[] => {
  const home = env['ALMANAC_HOME'] ?? join(repositoryFolder, '.almanac');
  const folders = [env['ALMANAC_BIN'] ?? '', ...(env['PATH'] ?? '').split(delimiter), join(home, 'bin')];
  return folders.filter((folder) => folder !== '');
};

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
