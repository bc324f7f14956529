import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookRuns, BookSource } from '../model/book-source.js';
import type { BookMessage } from '../model/feed-message.js';
import type { AcceptAltered } from '../values/altered.js';
import type { JsonObject } from '../sources/source.js';
import { type FramesOptions, openFrames } from './frames.js';
import type { RecorderFolder, Venue } from '../venues/venue.js';
import { venues } from '../venues/venues.js';

/** Whether a folder is one recording of books: a recorder's folder, or the parts of a capture. */
export const isBookFolder = async (folder: string): Promise<boolean> =>
  (await recorderOf(folder)) !== null || (await captureParts(folder)).length > 0;

/** Opens such a folder. Throws an `ImportError` that names what cannot be read. */
export const openBookFolder = async (
  folder: string,
  accept: AcceptAltered,
  options: Pick<FramesOptions, 'outcomes' | 'isByColumn'> = {},
): Promise<BookSource<BookMessage | BookRuns>> =>
  (await recorderOf(folder))?.open(folder, accept) ?? openFrames(await captureParts(folder), accept, options);

const recorders = Object.values<Venue>(venues).flatMap(({ recorderFolder }) => recorderFolder ?? []);

/** The recorder's folder that a path belongs to, or null. A recorder's folder belongs to itself. */
export const recorderFolderOf = async (path: string): Promise<string | null> => {
  for (const recorder of recorders) {
    const folder = await recorder.folderOf(path);
    if (folder !== null) return folder;
  }
  return null;
};

/** Whether a record is of a file of a recorder's folder. */
export const isRecorderRecord = (record: JsonObject): boolean => recorders.some(({ isRecord }) => isRecord(record));

const recorderOf = async (folder: string): Promise<RecorderFolder | null> => {
  for (const recorder of recorders) if (await recorder.is(folder)) return recorder;
  return null;
};

const part = /^\d{4,}\.jsonl(?:\.gz)?$/;

/**
 * The parts of a capture continue each other in name order, so a later part changes the books of an earlier one. If a
 * capture was killed between compressing a part and removing the plain file, the part counts once.
 */
const captureParts = async (folder: string): Promise<readonly string[]> => {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  if (!names.every((name) => part.test(name))) return [];
  const once = names.filter((name) => !names.includes(`${name}.gz`));
  return once.toSorted().map((name) => join(folder, name));
};
