import { statfs } from 'node:fs/promises';

/** Room on a disk, in bytes: what this user may still write, and all there is. */
export interface DiskSpace {
  readonly name: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The disk that holds a folder. */
export const diskSpaceOf = async (folder: string): Promise<DiskSpace> => {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { name: folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

const gb = 1e9;

/**
 * What is wrong with the room on a disk, null when nothing is. Low is less than a twentieth, on a large disk less than 20
 * GB, and on any less than 1 GB: time for a person to act before something is refused.
 */
export const lowDiskSpaceFault = ({ name, freeBytes, totalBytes }: DiskSpace): string | null => {
  if (freeBytes >= Math.max(gb, Math.min(totalBytes / 20, 20 * gb))) return null;
  return `the disk ${name} has ${(freeBytes / gb).toFixed(1)} of ${(totalBytes / gb).toFixed(0)} GB left`;
};
