import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sharedFolder = fileURLToPath(new URL('../../../../shared/', import.meta.url));

export interface Recording {
  /** An absolute path. */
  readonly path: string;
  /** Why tests of this recording cannot run on this machine, for the option `skip` of a test. False if they can. */
  readonly skip: string | false;
}

/**
 * A recording or a venue's document beside the checkout, by its path below `../shared`. They are not part of the
 * repository, so only files named `*.recordings.spec.ts` use them.
 */
export const recording = (path: string): Recording => {
  const found = join(sharedFolder, path);
  return { path: found, skip: existsSync(found) ? false : `../shared/${path} is not beside the checkout` };
};
