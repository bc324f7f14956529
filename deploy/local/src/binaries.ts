import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalServerError } from './errors.js';

const repositoryFolder = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The absolute path of a server program. Searches ALMANAC_BIN, then PATH, then the folders where `npm start` and `npm
 * test` unpack missing programs: in this home, then in the default one. Throws a LocalServerError with the remedy.
 */
export const findBinary = async (name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> => {
  for (const folder of searchedFolders(env)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  throw new LocalServerError(
    `${name} was not found in PATH or .almanac/bin. Run \`npm start\` or \`npm test\` once to download it.`,
  );
};

const searchedFolders = (env: NodeJS.ProcessEnv): string[] => {
  const usual = join(repositoryFolder, '.almanac');
  const homes = [env['ALMANAC_HOME'] ?? usual, usual].map((home) => join(home, 'bin'));
  const folders = [env['ALMANAC_BIN'] ?? '', ...(env['PATH'] ?? '').split(delimiter), ...homes];
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
