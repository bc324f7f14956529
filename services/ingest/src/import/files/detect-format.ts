import type { CandleFormat } from '../../venues/candle-format.js';
import { candleFormatOf, candleFormatOfColumns } from '../../venues/candle-formats.js';
import { ImportError } from '../../errors.js';
import { chooseMapping, fittingMapping, listed, mismatchOf } from '../../mapping/choose-mapping.js';
import type { Mapping } from '../../mapping/mapping.js';
import { isRecorderRecord } from '../../recordings/book-folder.js';
import {
  catalogueFormatOf,
  catalogueFormatOfList,
  catalogueOrder,
  entitiesIn,
} from '../../venues/catalogue-formats.js';
import { isFrame } from '../../recordings/frame-envelope.js';
import { type HourlyFormat, hourlyFormatOf } from '../../recordings/hourly-books.js';
import type { BlockTable } from '../../venues/catalogue-format.js';
import { type FileHour, fileHourOf, type Hours, hoursOf } from '../books/hours.js';
import { recordsOfRows } from '../../sources/row-records.js';
import { type MappedFrames, mappedFrames } from '../../recordings/mapped-frames.js';
import { type OpenedLines, scanFrames, type ScannedFrames } from '../books/scan-frames.js';
import { type FilePlace, openSource, type OpenedSource, openText } from '../../sources/open/open-source.js';
import type { OpenContainers } from '../../sources/open/containers.js';
import type { RecordSource, Source } from '../../sources/source.js';
import { tradeFormatIn, tradeFormatOf, tradeFormatOfList } from '../../venues/trade-formats.js';
import type { Venue } from '../../venues/venue.js';
import { venues } from '../../venues/venues.js';

export type DetectedFormat =
  | { readonly kind: 'rows'; readonly mapping: Mapping; readonly source: Source }
  | { readonly kind: 'catalogue'; readonly name: string; readonly order: number; readonly records: RecordSource }
  | { readonly kind: 'trades'; readonly name: string; readonly records: RecordSource }
  | {
      readonly kind: 'candles';
      readonly name: string;
      readonly format: CandleFormat;
      readonly records: Pick<RecordSource, 'numbering' | 'blocks'>;
    }
  | { readonly kind: 'frames'; readonly document: RecordSource | null; readonly mapped?: MappedFrames }
  | { readonly kind: 'blocks'; readonly name: string; readonly table: BlockTable; readonly records: RecordSource }
  | { readonly kind: 'hour'; readonly name: string; readonly format: HourlyFormat }
  | { readonly kind: 'other'; readonly why: string };

/** The built-in mappings, or the one from the command line. */
export type Mappings = readonly Mapping[] | Mapping;

/** Recognises a file by its content. With `--mapping`, a file that it does not describe is of another kind. */
export const detectFormat = (file: string, opened: OpenedSource, mappings: Mappings): DetectedFormat => {
  const { found } = opened;
  const source = opened.rows();
  const header = { file, format: source.format, columns: source.columns };
  if (isMapping(mappings)) {
    const why = mismatchOf(header, mappings);
    if (why !== null) return { kind: 'other', why };
    const mapped = mappedFrames(source, mappings, file);
    return mapped ? { kind: 'frames', document: null, mapped } : { kind: 'rows', mapping: mappings, source };
  }
  if ('rows' in found) {
    if (found.rows.columns.length < 2) return { kind: 'other', why: text };
    const candles = candleFormatOfColumns(source.columns);
    if (candles) return { kind: 'candles', name: candles.name, format: candles, records: recordsOfRows(source) };
    return { kind: 'rows', mapping: chooseMapping(header, mappings), source };
  }
  const { records } = found;
  const hour = hourlyFormatOf(records);
  if (hour !== null) return { kind: 'hour', name: hour.hourly.name, format: hour };
  const table = blockTables.find(({ is }) => is(source.columns));
  if (table) return { kind: 'blocks', name: table.name, table, records };
  if (records.first === null) return recogniseEmpty(records);
  if (isFrame(records.first)) return { kind: 'frames', document: records.format === 'json' ? records : null };
  const candles = candleFormatOf(records.first);
  if (candles) return { kind: 'candles', name: candles.name, format: candles, records };
  const format = entitiesIn(records.first).map(catalogueFormatOf)[0];
  if (format) return { kind: 'catalogue', name: format.name, order: catalogueOrder(format), records };
  const trades = tradeFormatIn(records.first);
  if (trades) return { kind: 'trades', name: trades.name, records };
  const mapping = fittingMapping(header, mappings);
  if (mapping) return { kind: 'rows', mapping, source };
  if (isRecorderRecord(records.first)) return { kind: 'other', why: recorderFile };
  const why = `the file is not a catalogue or observations file that this version supports. Its columns: ${listed(source.columns, 12)}`;
  return { kind: 'other', why };
};

/** An answer without records is read like one with records, if the key of its list or its columns show what it is. */
const recogniseEmpty = (records: RecordSource): DetectedFormat => {
  const key = records.emptyList ?? '';
  const columns = Object.fromEntries(records.table?.columns.map(({ name }) => [name, '']) ?? []);
  const format = catalogueFormatOfList(key) ?? catalogueFormatOf(columns);
  if (format) return { kind: 'catalogue', name: format.name, order: catalogueOrder(format), records };
  const trades = tradeFormatOfList(key) ?? tradeFormatOf(columns);
  if (trades) return { kind: 'trades', name: trades.name, records };
  return { kind: 'other', why: 'the file has no records' };
};

const blockTables = Object.values<Venue>(venues).flatMap(({ blockTable }) => blockTable ?? []);

const text = 'the file is not a table: its first line has one column';

const recorderFile =
  'the file is a part of a recording of order books. Import the folder that has raw_events/ in it, with all of its files';

/** Whether the mapping is the one of the command line. */
export const isMapping = (mappings: Mappings): mappings is Mapping => 'fields' in mappings;

/**
 * Sorts files for reading: series, events and markets of catalogues, then all others in their order. Recordings of frames
 * are in the order of their first frames, after the place of the first of them, and hours of books in theirs.
 */
export const inReadingOrder = async <
  File extends FilePlace & { readonly isFolder: boolean; readonly misplaced: string | null },
>(
  files: readonly File[],
  { mappings, containers }: { readonly mappings: Mappings; readonly containers: OpenContainers },
): Promise<{ readonly files: readonly File[]; readonly frames: ScannedFrames; readonly hours: Hours }> => {
  const found: { file: File; place: Place }[] = [];
  for (const file of files) {
    // A pipe has no end.
    const isOpened = !file.isFolder && file.misplaced === null;
    found.push({ file, place: isOpened ? await placeOf(file, mappings, containers) : other });
  }
  const frames = await scanFrames(
    found.flatMap(({ file, place }) => (place.isFrames ? [file] : [])),
    (file) => openLines(file, mappings, containers),
  );
  const inOrder = found.toSorted((a, b) => a.place.order - b.place.order).map(({ file }) => file);
  const hours = new Map(found.flatMap(({ file, place }) => (place.hour ? [[file.path, place.hour] as const] : [])));
  const isFrames = new Set(found.flatMap(({ file, place }) => (place.isFrames ? [file] : [])));
  const byStart = sortedIn(inOrder, {
    those: (file) => isFrames.has(file),
    startOf: ({ path }) => frames.startOf(path),
  });
  const byHour = sortedIn(byStart, {
    those: ({ path }) => hours.has(path),
    startOf: ({ path }) => hours.get(path)?.startUs ?? 0,
  });
  return { files: byHour, frames, hours: hoursOf(hours) };
};

/** Sorts some of the files among their own places. */
const sortedIn = <File>(
  files: readonly File[],
  { those, startOf }: { readonly those: (file: File) => boolean; readonly startOf: (file: File) => number },
): readonly File[] => {
  const sorted = files.filter(those).toSorted((a, b) => startOf(a) - startOf(b));
  return files.map((file) => (those(file) ? (sorted.shift() ?? file) : file));
};

/** The lines of a recording of frames, from its text or by a mapping. */
const openLines = async (file: FilePlace, mappings: Mappings, containers: OpenContainers): Promise<OpenedLines> => {
  if (!isMapping(mappings)) return { ...(await openText(file, containers)), envelope: null };
  const opened = await openSource(file, containers);
  const found = detectFormat(file.path, opened, mappings);
  const mapped = found.kind === 'frames' ? found.mapped : undefined;
  return { text: mapped?.text ?? null, envelope: mapped?.envelope ?? null, close: opened.close };
};

/** Where a file is in the order of reading. */
interface Place {
  readonly order: number;
  readonly isFrames: boolean;
  readonly hour: FileHour | null;
}

/** Times of blocks come before the trades that name them. */
const blocks = 2.5;
const last = 3;
const other: Place = { order: last, isFrames: false, hour: null };

const orderOf = (format: DetectedFormat): number => {
  if (format.kind === 'catalogue') return format.order;
  return format.kind === 'blocks' ? blocks : last;
};

const placeOf = async (file: FilePlace, mappings: Mappings, containers: OpenContainers): Promise<Place> => {
  try {
    const opened = await openSource(file, containers);
    try {
      const recognised = detectFormat(file.path, opened, mappings);
      const order = orderOf(recognised);
      const hour = recognised.kind === 'hour' ? fileHourOf(file.path, recognised.format) : null;
      return { order, isFrames: recognised.kind === 'frames', hour };
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ImportError || isFileSystemError(error)) return other;
    throw error;
  }
};

export const isFileSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
