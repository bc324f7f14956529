import { ImportError } from '../errors.js';
import { openCsv } from './csv.js';
import { openJsonLines } from './json-lines.js';
import { openBytes, textBlocks } from './open-bytes.js';
import type { Source } from './source.js';

export interface OpenedSource {
  readonly source: Source;
  readonly sizeBytes: number;
  readonly bytesRead: () => number;
}

/** Opens a file and finds out by its content what it is. Throws an `ImportError` that names the file. */
export const openSource = async (path: string): Promise<OpenedSource> => {
  const bytes = await openBytes(path);
  const blocks = textBlocks(path, bytes);
  const first = await blocks.next();
  if (first.done === true) throw new ImportError(`${path}: is empty`);
  const text = following(first.value, blocks);
  const head = first.value.trimStart();
  const source =
    head.startsWith('{') || head.startsWith('[') ? await openJsonLines(path, text) : await openCsv(path, text);
  return { source, sizeBytes: bytes.sizeBytes, bytesRead: bytes.bytesRead };
};

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}
