import { statfsSync } from 'node:fs';

/**
 * After one failed write, nats-server ends JetStream until its restart, and then nothing can be read. So this much of
 * its disk stays free for what it writes by itself.
 */
export const reserveBytes = 64 * 1_048_576;

/**
 * A sentence while the disk of JetStream's folder is almost full. It asks the disk each time, which takes microseconds,
 * because a disk can fill within one interval of a timer. A folder that does not exist is on another machine.
 */
export const storeDiskCheck = (folder: string) => (): string | null => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= reserveBytes) return null;
    return `the disk of JetStream has ${Math.floor((bavail * bsize) / 1e6)} MB left`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};
