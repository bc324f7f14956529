import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@almanac/contracts';
import { z } from 'zod';
import type { FoundFile } from './find-files.js';
import type { FileReport } from '../../intake/report.js';
import { hasGiven } from '../report/verdict.js';

const line = z.object({
  place: z.string(),
  identity: z.string(),
  options: z.string(),
  at: z.string(),
  catalogue: z.boolean(),
});

export interface ReadObject {
  readonly place: string;
  readonly identity: string;
  /** When it was read completely. */
  readonly at: string;
  /** Whether it describes markets, which other files of an import may need. */
  readonly catalogue: boolean;
}

/** Lines of objects that were read again since are removed above this number. */
const spareLinesMax = 1_000;

/** The objects of places that imports with the same options read completely and without an error. */
export class ReadObjects {
  readonly #path: string;
  readonly #options: string;
  readonly #objects = new Map<string, ReadObject>();

  private constructor(path: string, options: string) {
    this.#path = path;
    this.#options = options;
  }

  /** `options`: all that changes what an import stores of an object. */
  static async open(folder: string, options: string): Promise<ReadObjects> {
    await mkdir(folder, { recursive: true });
    const opened = new ReadObjects(join(folder, 'places.jsonl'), options);
    const texts = (await readIfThere(opened.#path)).split('\n').filter((text) => text !== '');
    const newest = new Map<string, string>();
    for (const text of texts) {
      // A crash can cut the last line.
      const { data } = line.safeParse(parseJson(text));
      if (data === undefined) continue;
      newest.set(`${data.options} ${data.place}`, text);
      if (data.options === options) opened.#objects.set(data.place, data);
    }
    if (texts.length > 2 * newest.size + spareLinesMax) {
      await writeFile(`${opened.#path}.new`, Array.from(newest.values(), (text) => `${text}\n`).join(''));
      await rename(`${opened.#path}.new`, opened.#path);
    }
    return opened;
  }

  /** What is known of an object that did not change. */
  unchanged(place: string, identity: string): ReadObject | null {
    const known = this.#objects.get(place);
    return known?.identity === identity ? known : null;
  }

  async add(object: ReadObject): Promise<void> {
    this.#objects.set(object.place, object);
    await appendFile(this.#path, `${JSON.stringify({ ...object, options: this.#options })}\n`);
  }
}

const readIfThere = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
};

/**
 * Returns what to call after each file of an import. When all files of an object were read without an error, and one of them gave something,
 * the object is noted.
 */
export const noteReadObjects = (files: readonly FoundFile[], read: ReadObjects, at: string) => {
  const objectOf = ({ path, inside }: FoundFile): string => inside?.outer ?? path;
  const left = new Map<string, number>();
  for (const file of files) left.set(objectOf(file), (left.get(objectOf(file)) ?? 0) + 1);
  const failed = new Set<string>();
  const gave = new Map<string, { catalogue: boolean }>();
  return async (file: FoundFile, report: FileReport): Promise<void> => {
    const { identity } = file;
    if (typeof identity !== 'string') return;
    const place = objectOf(file);
    if (report.error !== null || (report.rowsRead > 0 && !hasGiven(report))) failed.add(place);
    if (hasGiven(report)) {
      // Rows and messages state markets, too. A file of a catalogue has nothing else.
      const catalogue = report.observationsRead + report.tradesRead === 0 && report.messages === null;
      gave.set(place, { catalogue: catalogue || gave.get(place)?.catalogue === true });
    }
    left.set(place, (left.get(place) ?? 1) - 1);
    const given = gave.get(place);
    if (left.get(place) === 0 && given !== undefined && !failed.has(place))
      await read.add({ place, identity, at, catalogue: given.catalogue });
  };
};
