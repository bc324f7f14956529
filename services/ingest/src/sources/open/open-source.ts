import { ImportError } from '../../errors.js';
import { openCsv } from '../csv.js';
import { openJsonDocument } from '../json-document.js';
import { openJsonLines, parseObject } from '../json-lines.js';
import { isPage } from '../json-page.js';
import { rowsOf } from '../json-rows.js';
import { textBlocks } from './open-bytes.js';
import type { OpenContainers, OpenedContent } from './containers.js';
import { type Content, type RandomAccess, rangeContent, type Step } from '../packed/content.js';
import { spooled } from '../packed/spool.js';
import { withPathColumns } from '../path-columns.js';
import { following, type RecordSource, type Source } from '../source.js';
import { openArrow } from '../tables/arrow.js';
import { openParquet } from '../tables/parquet.js';
import { openTable } from '../tables/sqlite.js';
import { linesOf, type TableSource } from '../tables/table.js';

export interface OpenedSource {
  /** Rows of a CSV file, or the objects of a JSON file or a typed one. */
  readonly found: { readonly rows: Source } | { readonly records: RecordSource };
  /** Either of them as rows for a mapping, with the columns that the path states. */
  readonly rows: () => Source;
  /** By sentence: rows in which a column differs from the path. */
  readonly differences: ReadonlyMap<string, number>;
  /** The whole text of JSON lines, or typed rows as JSON lines, in place of `found`. */
  readonly text: AsyncIterable<string> | null;
  readonly sizeBytes: number;
  readonly bytesRead: () => number;
  /** For a file that is not read to its end. */
  readonly close: () => Promise<void>;
}

/** A file on disk, or one in a container. */
export interface FilePlace {
  /** In reports: `outer.zip/inner.csv`. */
  readonly path: string;
  /** Only of a file in a container: the container, and the way to the file in it. */
  readonly inside?: { readonly outer: string; readonly steps: readonly Step[] };
}

/** Opens a file and recognises its format by content. Throws an `ImportError` that names the file. */
export const openSource = async (place: FilePlace, containers: OpenContainers): Promise<OpenedSource> => {
  const opened = await containers.open(place.inside?.outer ?? place.path, place.inside?.steps ?? []);
  try {
    return withRows(place.path, await sourceOf(place.path, opened));
  } catch (error) {
    await opened.content.close();
    throw error;
  }
};

type FoundSource = Omit<OpenedSource, 'rows' | 'differences'>;

const withRows = (path: string, source: FoundSource): OpenedSource => {
  const { found } = source;
  const differences = new Map<string, number>();
  const rows = (): Source =>
    withPathColumns('rows' in found ? found.rows : rowsOf(found.records), path, (what) =>
      differences.set(what, (differences.get(what) ?? 0) + 1),
    );
  return { ...source, rows, differences };
};

/** The text of a file, also of a JSON document, whose records `openSource` has in its place. */
export const openText = async (
  place: FilePlace,
  containers: OpenContainers,
): Promise<Pick<OpenedSource, 'text' | 'close'>> => {
  const source = await openSource(place, containers);
  if (source.text !== null || 'rows' in source.found) return source;
  await source.close();
  const { content } = await containers.open(place.inside?.outer ?? place.path, place.inside?.steps ?? []);
  const text = textBlocks(place.path, { blocks: content.blocks() });
  const close = async (): Promise<void> => {
    await text.return();
    await content.close();
  };
  return { text, close };
};

const sourceOf = async (path: string, { content, is, table }: OpenedContent): Promise<FoundSource> => {
  if (is.kind === 'unsupported') throw new ImportError(`${path}: ${is.why}.`);
  if (is.kind === 'zip' || is.kind === 'tar') throw new ImportError(`${path}: the archive is inside too many others`);
  if (is.kind === 'sqlite') return ofRecords(content, openTable({ ...content, name: path }, table ?? ''));
  if (is.kind === 'parquet')
    return typedSource(content, (footer, pages) => openParquet(content.name, { footer, pages }));
  if (is.kind === 'arrow') return typedSource(content, (head, body) => openArrow(content.name, { head, body }));
  return textSource(path, content);
};

/** `open`: what is read to know the file, which is no progress, and the same file for its rows. */
const typedSource = async (
  content: Content,
  open: (known: RandomAccess, rows: RandomAccess) => Promise<TableSource>,
): Promise<FoundSource> => {
  const seekable = content.random === null ? await spooled(content) : content;
  const { random } = seekable;
  if (random === null) throw new Error('a spooled file is read at any place');
  try {
    const rows = rangeContent(content.name, { start: 0, size: random.size }, random);
    const records = await open(random, rows.random ?? random);
    return ofRecords({ ...seekable, sizeBytes: random.size, bytesRead: rows.bytesRead }, records);
  } catch (error) {
    await seekable.close();
    throw error;
  }
};

const ofRecords = (content: Content, records: TableSource): FoundSource => ({
  found: { records },
  text: linesOf(records),
  sizeBytes: content.sizeBytes,
  bytesRead: content.bytesRead,
  close: content.close,
});

const textSource = async (path: string, content: Content): Promise<FoundSource> => {
  const blocks = textBlocks(path, { blocks: content.blocks() });
  const first = await blocks.next();
  if (first.done === true) throw new ImportError(`${path}: the file is empty`);
  const head = first.value.trimStart();
  const found =
    head.startsWith('{') || head.startsWith('[')
      ? await openJson(path, first.value, blocks)
      : { rows: await openCsv(path, following([first.value], blocks)) };
  const close = async (): Promise<void> => {
    await blocks.return();
    await content.close();
  };
  const text = 'text' in found ? found.text : null;
  return { found, text, sizeBytes: content.sizeBytes, bytesRead: content.bytesRead, close };
};

/** With a longer first line the file is read as consecutive documents, which also handles long JSON lines. */
const firstLineMax = 256 * 1024;

/** JSON lines if the first line is a complete object. If that object is a page, the file is read as a document. */
const openJson = async (
  path: string,
  begin: string,
  text: AsyncGenerator<string, void, undefined>,
): Promise<{ records: RecordSource; text: AsyncIterable<string> | null }> => {
  let head = begin;
  while (!head.trimStart().includes('\n') && head.length <= firstLineMax) {
    const next = await text.next();
    if (next.done === true) break;
    head += next.value;
  }
  const first = parseObject(head.trimStart().split('\n', 1)[0] ?? '');
  if (typeof first === 'string' || isPage(first))
    return { records: await openJsonDocument(path, following([head], text)), text: null };
  return { records: openJsonLines(path, first, { head, text }), text: following([head], text) };
};
