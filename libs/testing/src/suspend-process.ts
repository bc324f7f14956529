import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.js';

/**
 * Stops a process as it stands, by SIGSTOP, and resolves when it does: on a busy machine it may still answer for a moment
 * after the signal. What it gives lets the process go on; to be called whatever happens, since a frozen server keeps every
 * later test waiting.
 */
export const suspendProcess = async (pid: number): Promise<() => void> => {
  process.kill(pid, 'SIGSTOP');
  const resume = (): void => void process.kill(pid, 'SIGCONT');
  try {
    await eventually(async () => assert.match(await readFile(`/proc/${pid}/stat`, 'utf8'), /\) T /));
  } catch (error) {
    resume();
    throw error;
  }
  return resume;
};
