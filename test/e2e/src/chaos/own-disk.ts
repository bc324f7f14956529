import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sizeBytes = 4 * 1_024 ** 3;

/** A file system of its own for a system, which a test fills. Only root can mount it. */
export interface OwnDisk {
  readonly home: string;
  /** Takes all space. The returned function gives it back. */
  fill(): Promise<() => Promise<void>>;
  /** Drops what the kernel has in memory of files, as after a power loss. What is not on disk yet stays. */
  dropPageCache(): Promise<void>;
  remove(): Promise<void>;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

export const ownDisk = async (): Promise<OwnDisk> => {
  const dir = await mkdtemp(join(tmpdir(), 'almanac-chaos-'));
  const [image, home] = [join(dir, 'disk'), join(dir, 'home')];
  await mkdir(home);
  const file = await open(image, 'w');
  await file.truncate(sizeBytes);
  await file.close();
  await run('mkfs.ext4', ['-q', '-m', '0', image]);
  await run('mount', ['-o', 'loop', image, home]);
  return {
    home,
    fill: () => fill(home),
    dropPageCache: () => writeFile('/proc/sys/vm/drop_caches', '1'),
    remove: async () => {
      await run('umount', [home]);
      await rm(dir, { recursive: true, force: true });
    },
  };
};

/** Leaves some blocks at first, and more after each failure, since the system writes meanwhile. */
const takeMostSpace = async (home: string, path: string): Promise<void> => {
  for (let spareBlocks = 512; ; spareBlocks *= 4) {
    const { bavail, bsize } = await statfs(home);
    const bytes = Math.max(1, bavail - spareBlocks) * bsize;
    try {
      await run('fallocate', ['--length', String(bytes), path]);
      return;
    } catch (error) {
      await rm(path, { force: true });
      if (spareBlocks > bavail) throw error;
    }
  }
};

const fill = async (home: string): Promise<() => Promise<void>> => {
  const [most, rest] = [join(home, 'filler'), join(home, 'filler-2')];
  await takeMostSpace(home, most);
  const file = await open(rest, 'w');
  const zeros = new Uint8Array(4_096);
  await assert.rejects(
    async () => {
      for (;;) await file.write(zeros);
    },
    { code: 'ENOSPC' },
  );
  await file.close();
  return async () => {
    await rm(most);
    await rm(rest);
  };
};
