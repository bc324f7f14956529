import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalServerError } from '@almanac/local-servers';
import { writePrivate } from './secrets.js';

const stopMsMax = 15_000;

/** Claims a home. A killed owner no longer holds it, a stopping one is awaited, a running one is an error. */
export const claimHome = async (home: string) => {
  const path = join(home, 'system.pid');
  const deadline = performance.now() + stopMsMax;
  for (;;) {
    const owner = await ownerIn(path);
    if (owner === undefined || owner.pid === process.pid) break;
    if (owner.state !== 'stopping' || performance.now() > deadline) {
      const { pid } = owner;
      throw new LocalServerError(
        `Almanac already uses ${home} (process ${pid}). Stop that process, or set ALMANAC_HOME to another folder.`,
      );
    }
    await delay(50);
  }
  const claim = async (state: 'running' | 'stopping') =>
    writePrivate(path, `${process.pid} ${state} ${(await beginningOf(process.pid)) ?? ''}`);
  await claim('running');
  return {
    /** Tells the next process that it only needs to wait a moment. */
    stopping: () => claim('stopping'),
    release: () => rm(path, { force: true }),
  };
};

/** The process that holds the claim. Undefined if it has ended or its id now belongs to another process. */
const ownerIn = async (path: string): Promise<{ pid: number; state: string } | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [, digits = '', state = '', began = ''] = /^([1-9]\d*) (running|stopping) (\d*)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const pid = Number(digits);
  return runs(pid) && began === ((await beginningOf(pid)) ?? '') ? { pid, state } : undefined;
};

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user runs too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Start time of a process in kernel ticks. Together with the id it identifies one process. Undefined without /proc. */
const beginningOf = async (pid: number): Promise<string | undefined> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, which can contain blanks and brackets.
  return line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .at(19);
};
