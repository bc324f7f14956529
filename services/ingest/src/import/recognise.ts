import { ImportError } from '../errors.js';
import { chooseMapping, fittingMapping, listed, requireMapping } from '../mapping/choose-mapping.js';
import type { Mapping } from '../mapping/mapping.js';
import { catalogueFormatOf, catalogueOrder, entitiesIn } from '../sources/catalogue-formats.js';
import { isFrame } from '../sources/frames.js';
import { rowsOf } from '../sources/json-rows.js';
import { openSource, type OpenedSource } from '../sources/open-source.js';
import type { RecordSource, Source } from '../sources/source.js';

/** What a file turned out to be. */
export type Recognised =
  | { readonly kind: 'rows'; readonly mapping: Mapping; readonly source: Source }
  | { readonly kind: 'catalogue'; readonly name: string; readonly order: number; readonly records: RecordSource }
  | { readonly kind: 'frames' }
  | { readonly kind: 'other'; readonly why: string };

/** The mappings to choose from, or the one that was asked for. */
export type Mappings = readonly Mapping[] | Mapping;

/** Says by its content what a file is. Throws an `ImportError` when it does not fit the mapping that was asked for. */
export const recognise = (file: string, { found }: OpenedSource, mappings: Mappings): Recognised => {
  const source = 'rows' in found ? found.rows : rowsOf(found.records);
  const header = { file, format: source.format, columns: source.columns };
  if (!isList(mappings)) return { kind: 'rows', mapping: requireMapping(header, mappings), source };
  if ('rows' in found) return { kind: 'rows', mapping: chooseMapping(header, mappings), source };
  const { records } = found;
  if (records.first === null) return { kind: 'other', why: 'the file has no records' };
  if (isFrame(records.first)) return { kind: 'frames' };
  const format = entitiesIn(records.first).map(catalogueFormatOf)[0];
  if (format) return { kind: 'catalogue', name: format.name, order: catalogueOrder(format), records };
  const mapping = fittingMapping(header, mappings);
  if (mapping) return { kind: 'rows', mapping, source };
  const why = `the file is not a catalogue or observations file that this version supports. Its columns: ${listed(source.columns, 12)}`;
  return { kind: 'other', why };
};

const isList = (mappings: Mappings): mappings is readonly Mapping[] => Array.isArray(mappings);

/**
 * Files in the order in which they are read: series, events, markets of catalogues, then everything else as it came.
 * One that cannot be opened or recognised is told of when its turn comes.
 */
export const inReadingOrder = async <File extends { readonly path: string }>(
  files: readonly File[],
  mappings: Mappings,
): Promise<readonly File[]> => {
  if (files.length < 2) return files;
  const ordered: { file: File; order: number }[] = [];
  for (const file of files) ordered.push({ file, order: await orderOf(file.path, mappings) });
  return ordered.toSorted((a, b) => a.order - b.order).map(({ file }) => file);
};

const last = 3;

const orderOf = async (path: string, mappings: Mappings): Promise<number> => {
  try {
    const opened = await openSource(path);
    try {
      const recognised = recognise(path, opened, mappings);
      return recognised.kind === 'catalogue' ? recognised.order : last;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ImportError || isFileSystemError(error)) return last;
    throw error;
  }
};

export const isFileSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
