import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalServerError } from './errors.js';

const repositoryFolder = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The absolute path of a server program. Searches ALMANAC_BIN, then PATH, then the cache folder where `npm start` and
 * `npm test` unpack missing programs, then the homes where earlier versions did. Throws a LocalServerError with the
 * remedy.
 */
export const findBinary = async (name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> => {
  for (const folder of searchedFolders(env)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  throw new LocalServerError(
    `${name} was not found in PATH or the cache folder. Run \`npm start\` or \`npm test\` once to download it.`,
  );
};

const searchedFolders = (env: NodeJS.ProcessEnv): string[] => {
  const usual = join(repositoryFolder, '.almanac');
  const homes = [env['ALMANAC_HOME'] ?? usual, usual].map((home) => join(home, 'bin'));
  const cache = join(userCache(env), 'almanac', 'bin');
  const folders = [env['ALMANAC_BIN'] ?? '', ...(env['PATH'] ?? '').split(delimiter), cache, ...homes];
  return folders.filter((folder) => folder !== '');
};

/** As in scripts/steps.mjs, which runs before this is compiled. */
const userCache = ({ XDG_CACHE_HOME: cache = '', HOME: userHome = '' }: NodeJS.ProcessEnv): string => {
  if (isAbsolute(cache)) return cache;
  return userHome === '' ? join(repositoryFolder, '.almanac', 'cache') : join(userHome, '.cache');
};

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
