// One provisioning at a time per checkout, and one per program cache: two concurrent ones would corrupt node_modules. One
// run of tests at a time per home, because each begins with an empty folder of logs.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StepError } from './steps.mjs';

const waitMs = 15 * 60_000;

/**
 * Holds the lock file while `work` runs. A lock whose holder has exited counts as free. Waits for another holder, or throws
 * what `refusal` says of its process.
 */
export const withLock = async (path, work, { refusal } = {}) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const ownHolder = `${process.pid} ${startOf(process.pid)}`;
  const deadline = Date.now() + waitMs;
  for (let isReported = false; !take(path, ownHolder);) {
    const [holder] = readHolder(path);
    if (holder !== undefined && refusal !== undefined) throw new StepError(refusal(holder));
    if (Date.now() > deadline) throw new StepError(`Process ${holder} still holds the lock ${path}. Stop it first.`);
    if (holder !== undefined && !isReported) {
      console.log(`Waiting for process ${holder}, which prepares ${dirname(path)}.`);
      isReported = true;
    }
    await pause(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
};

/** A link appears atomically with its content, so no reader sees a partial lock. */
const take = (path, ownHolder) => {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, ownHolder);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const [pid, start] = readHolder(path);
    if (pid !== undefined && startOf(pid) !== start) rmSync(path, { force: true });
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
};

const readHolder = (path) => {
  try {
    return readFileSync(path, 'utf8').split(' ');
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

/** Identifies a process beyond its reused number: by its start time on Linux, elsewhere by being alive. */
const startOf = (pid) => {
  try {
    // The second field, the name, may contain spaces and brackets. The text after the last bracket does not.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1).split(' ');
    // A zombie process still has its number but holds nothing.
    return fields[1] === 'Z' ? 'gone' : fields[20];
  } catch {
    return isRunning(pid) ? 'running' : 'gone';
  }
};

const isRunning = (pid) => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};
