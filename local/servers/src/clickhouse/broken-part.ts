import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

/**
 * The part that an error of a read names, if it changed since this process loaded the tables. Loading checks the files
 * of parts, so only then does a restart help.
 */
export const partBrokenSinceStart = (text: string, startedMs = performance.timeOrigin): string | undefined => {
  const [, folder] = /while reading from part (\/\S+\/) /.exec(text) ?? [];
  if (folder === undefined || !namesDamage.test(text)) return undefined;
  return changedSince(folder, startedMs) ? folder : undefined;
};

/** Other errors while a part is read, such as a limit of memory, are not about its files. */
const namesDamage =
  /\((CANNOT_READ_ALL_DATA|CHECKSUM_DOESNT_MATCH|NO_FILE_IN_DATA_PART|BAD_SIZE_OF_FILE_IN_DATA_PART|CORRUPTED_DATA)\)/;

const changedSince = (folder: string, ms: number): boolean => {
  try {
    return readdirSync(folder).some((name) => statSync(join(folder, name)).mtimeMs >= ms);
  } catch (error) {
    // A merge has replaced the part meanwhile.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};
