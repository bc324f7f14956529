import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dataFolder = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));

/**
 * The absolute path of a file or folder of the recordings beside the checkout (`../shared/data`), or undefined where
 * they are missing. A test that needs them must say so then, and not count as passed.
 */
export const sharedData = (path: string): string | undefined => {
  const found = join(dataFolder, path);
  return existsSync(found) ? found : undefined;
};
