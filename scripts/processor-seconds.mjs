import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Processor seconds of this process, and of the programs that it started and that have ended. Zero for these without /proc. */
export const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  let started = 0;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    started = (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    // Only Linux has it.
  }
  return { own: (user + system) / 1_000_000, started };
};
