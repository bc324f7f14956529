import { statfs } from 'node:fs/promises';

/** Disk space in bytes: what this user may still write, and the total. */
export interface DiskSpace {
  readonly name: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export const diskSpaceOf = async (folder: string): Promise<DiskSpace> => {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { name: folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

const gb = 1e9;

/**
 * A sentence about low disk space, or null. The limit is a twentieth of the disk, but at most 20 GB and at least 1
 * GB. That leaves an operator time to act before writes fail.
 */
export const lowDiskSpaceFault = ({ name, freeBytes, totalBytes }: DiskSpace): string | null => {
  if (freeBytes >= Math.max(gb, Math.min(totalBytes / 20, 20 * gb))) return null;
  if (totalBytes < gb)
    return `the disk ${name} has ${Math.floor(freeBytes / 1e6)} of ${Math.floor(totalBytes / 1e6)} MB left`;
  return `the disk ${name} has ${(freeBytes / gb).toFixed(1)} of ${(totalBytes / gb).toFixed(0)} GB left`;
};
