import { ImportError } from '../errors.js';
import { openCsv } from './csv.js';
import { openJsonDocument } from './json-document.js';
import { openJsonLines, parseObject } from './json-lines.js';
import { isPage } from './json-page.js';
import { openBytes, textBlocks } from './open-bytes.js';
import { following, type RecordSource, type Source } from './source.js';

export interface OpenedSource {
  /** Rows of a CSV file, or the objects of a JSON file. */
  readonly found: { readonly rows: Source } | { readonly records: RecordSource };
  readonly sizeBytes: number;
  readonly bytesRead: () => number;
  /** For a file that is not read to its end. */
  readonly close: () => Promise<void>;
}

/** Opens a file and recognises its format by content. Throws an `ImportError` that names the file. */
export const openSource = async (path: string): Promise<OpenedSource> => {
  const bytes = await openBytes(path);
  const blocks = textBlocks(path, bytes);
  const first = await blocks.next();
  if (first.done === true) throw new ImportError(`${path}: the file is empty`);
  const head = first.value.trimStart();
  const found =
    head.startsWith('{') || head.startsWith('[')
      ? { records: await openJson(path, first.value, blocks) }
      : { rows: await openCsv(path, following([first.value], blocks)) };
  const close = async (): Promise<void> => void (await blocks.return());
  return { found, sizeBytes: bytes.sizeBytes, bytesRead: bytes.bytesRead, close };
};

/** With a longer first line the file is read as consecutive documents, which also handles long JSON lines. */
const firstLineMax = 256 * 1024;

/** JSON lines if the first line is a complete object. If that object is a page, the file is read as a document. */
const openJson = async (
  path: string,
  begin: string,
  text: AsyncGenerator<string, void, undefined>,
): Promise<RecordSource> => {
  let head = begin;
  while (!head.trimStart().includes('\n') && head.length <= firstLineMax) {
    const next = await text.next();
    if (next.done === true) break;
    head += next.value;
  }
  const first = parseObject(head.trimStart().split('\n', 1)[0] ?? '');
  return typeof first === 'string' || isPage(first)
    ? openJsonDocument(path, following([head], text))
    : openJsonLines(path, first, { head, text });
};
