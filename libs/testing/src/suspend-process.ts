import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.js';

/**
 * Freezes a process with SIGSTOP, and resolves when it has stopped: on a busy machine it may still answer for a moment.
 * The returned function lets it continue. Call it in any case, since a frozen server blocks every later test.
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
