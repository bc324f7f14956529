import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServerError } from '@almanac/local';
import { writePrivate } from './secrets.js';

/**
 * Claims a home folder for this process; the function it answers gives it back. A process that was killed claims
 * nothing any more: the claim names a process, and only one that runs, and is ours, counts.
 */
export const takeHome = async (home: string): Promise<() => Promise<void>> => {
  const path = join(home, 'system.pid');
  const owner = Number(await readFile(path, 'utf8').catch(() => '0'));
  if (owner > 0 && owner !== process.pid && (await runsAlmanac(owner))) {
    throw new LocalServerError(`Almanac already runs on ${home} as process ${owner}. Stop it, or set ALMANAC_HOME.`);
  }
  await writePrivate(path, String(process.pid));
  return () => rm(path, { force: true });
};

/** Whether a process of that number runs a program of this project; where /proc is missing, whether it runs at all. */
const runsAlmanac = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return commandLine === null || commandLine.includes('dist');
};
