import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.js';

/**
 * Suspends a process with SIGSTOP and resolves when it has stopped: on a busy machine it may still answer shortly
 * after the signal. The returned function resumes it. Always call it, because a suspended server blocks every later
 * test.
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
