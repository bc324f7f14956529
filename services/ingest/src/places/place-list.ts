import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ImportError, sentenceOf } from '../errors.js';

/** Whether a text names a place by its scheme, as `s3://bucket/prefix` does. */
export const isPlace = (named: string): boolean => /^[a-z][a-z\d+.-]+:\/\//i.test(named);

/** A local path refers to the folder of the caller. */
export const placeOrPath = (named: string, folder: string): string => (isPlace(named) ? named : resolve(folder, named));

/** The places of `--from`, one a line. `-` is standard input. */
export const listedPlaces = async (from: string, folder: string): Promise<readonly string[]> => {
  const lines = (from === '-' ? await text(process.stdin) : await readList(resolve(folder, from))).split(/\r?\n/);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => placeOrPath(line, folder));
};

const readList = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ImportError(`The list ${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
