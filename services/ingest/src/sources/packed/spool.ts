import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImportError } from '../../errors.js';
import { type Content, diskContent } from './content.js';

/** Leaves the disk to others. */
const freeShareMax = 0.8;

/**
 * A content whose bytes only come in order as a temporary file, for formats that are read at many places (Parquet, SQLite, zip).
 * It is removed when it is closed.
 */
export const spooled = async (content: Content): Promise<Content> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-unpacked-'));
  try {
    const path = join(folder, 'file');
    const { bavail, bsize } = await statfs(folder);
    const bytesMax = bavail * bsize * freeShareMax;
    const file = await open(path, 'wx');
    try {
      let bytes = 0;
      for await (const block of content.blocks()) {
        bytes += block.length;
        if (bytes > bytesMax)
          throw new ImportError(
            `${content.name}: it must be unpacked to be read, and ${folder} has no space for it. Set TMPDIR to a larger disk.`,
          );
        await file.write(block);
      }
    } finally {
      await file.close();
    }
    const disk = await diskContent(path);
    return {
      ...disk,
      name: content.name,
      close: async () => {
        await disk.close();
        await rm(folder, { recursive: true });
        await content.close();
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};
