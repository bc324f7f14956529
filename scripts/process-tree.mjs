// Processes and the processes that they started.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Pairs of process and parent of this machine. */
const parents = () => {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(parentIn);
  } catch {
    const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: 10_000 });
    return text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
  }
};

/** Nothing for a process that has ended meanwhile. */
const parentIn = (name) => {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return [[Number(name), Number(fields[1])]];
  } catch {
    return [];
  }
};

/** Kills a process and all below it, also those in process groups of their own, which a signal to the group leaves out. */
export const killTree = (pid) => {
  const all = parents();
  const tree = [pid];
  for (const one of tree) tree.push(...all.filter(([, parent]) => parent === one).map(([child]) => child));
  for (const one of tree) {
    try {
      process.kill(one, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
};
