import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalServerError } from '@almanac/local';
import { writePrivate } from './secrets.js';

/** A claimed home folder. */
export interface Home {
  /** Tells the next one that it need only wait a moment. */
  stopping(): Promise<void>;
  release(): Promise<void>;
}

const stopMsMax = 15_000;

/**
 * Claims a home folder for this process. A claim names a process, so a process that was killed claims nothing any
 * more; one that is about to end is waited for; one that runs is named in a LocalServerError.
 */
export const takeHome = async (home: string): Promise<Home> => {
  const path = join(home, 'system.pid');
  const deadline = performance.now() + stopMsMax;
  for (;;) {
    const [owner, state] = await claimIn(path);
    if (owner === 0 || owner === process.pid || !(await runsAlmanac(owner))) break;
    if (state !== 'stopping' || performance.now() > deadline) {
      throw new LocalServerError(`Almanac already runs on ${home} as process ${owner}. Stop it, or set ALMANAC_HOME.`);
    }
    await delay(50);
  }
  await writePrivate(path, `${process.pid} running`);
  return {
    stopping: () => writePrivate(path, `${process.pid} stopping`),
    release: () => rm(path, { force: true }),
  };
};

const claimIn = async (path: string): Promise<[number, string]> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [pid = '', state = ''] = text.split(' ');
  return [/^\d+$/.test(pid) ? Number(pid) : 0, state];
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
