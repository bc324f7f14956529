import { basename } from 'node:path';
import type { StagingMissing } from '@almanac/contracts';
import { ImportError, sentenceOf } from '../errors.js';
import {
  type DetectedFormat,
  detectFormat,
  isFileSystemError,
  isMapping,
  type Mappings,
} from '../import/files/detect-format.js';
import { boundRows } from '../import/rows/bound-rows.js';
import { findFiles, type FoundFile } from '../import/files/find-files.js';
import { bookWayOf, type ImportWay, wayOf } from '../import/import-way.js';
import { missingColumns } from '../mapping/choose-mapping.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { Places, type PlacesOptions } from '../places/places.js';
import { openSource, type OpenedSource } from '../sources/open/open-source.js';
import { knownOutcomes } from '../sources/known-outcomes.js';
import { OpenContainers } from '../sources/open/containers.js';
import type { Source } from '../sources/source.js';
import { type ColumnFacts, columnCollector, shortened } from './column-facts.js';
import { suggestedMapping } from './suggested-mapping.js';

/** Ranges are those of the first rows, so that an answer comes at once. */
const rowsMax = 10_000;
const shownRows = 3;
const nearMax = 3;

type FindMissing = () => Promise<StagingMissing | null>;

export interface ExplainOptions extends PlacesOptions {
  readonly onUnreadable?: () => void;
  /** Called once, for the first file that could be imported by column. Null also if nobody knows. */
  readonly missingStaging?: FindMissing;
}

const onceOnly = (find: FindMissing): FindMissing => {
  let found: ReturnType<FindMissing> | null = null;
  return () => (found ??= find());
};

/**
 * The lines of `--explain`: what each file holds, what reads it, and a mapping to start from. `onUnreadable` is called for a
 * file that cannot be read at all.
 */
export async function* explain(
  paths: readonly string[],
  mappings: Mappings,
  {
    onUnreadable = () => undefined,
    missingStaging: findMissing = () => Promise.resolve(null),
    ...options
  }: ExplainOptions = {},
): AsyncGenerator<string, void, undefined> {
  const missing = onceOnly(findMissing);
  const places = new Places(options);
  const containers = new OpenContainers(places.open);
  try {
    for (const file of await findFiles(paths, { anyPath: isMapping(mappings), places, read: null })) {
      yield file.path;
      for (const line of await fileLines(file, { mappings, containers, onUnreadable, missing }))
        yield `  ${line}`.trimEnd();
    }
  } finally {
    await containers.close();
    places.close();
  }
}

interface Explained {
  readonly mappings: Mappings;
  readonly containers: OpenContainers;
  readonly onUnreadable: () => void;
  readonly missing: FindMissing;
}

const fileLines = async (
  place: FoundFile,
  { mappings, containers, onUnreadable, missing }: Explained,
): Promise<readonly string[]> => {
  const { isFolder, misplaced } = place;
  const unreadable = (why: string): readonly string[] => {
    onUnreadable();
    return [`error: ${why}`];
  };
  if (misplaced !== null) return unreadable(misplaced);
  if (isFolder) return ['a recording of order books, which is imported as a whole'];
  let opened: OpenedSource | null = null;
  try {
    opened = await openSource(place, containers);
    const source = opened.rows();
    const readBy = readerOf(place.path, opened, mappings);
    const way = await wayLines(place.path, opened, { mappings, missing });
    const sample = await sampleOf(source, opened);
    const lines = readerLines(readBy, { source, mappings, sample, path: place.path });
    return [...sampleLines(source, sample), ...lines, ...way];
  } catch (error) {
    if (!(error instanceof ImportError) && !isFileSystemError(error)) throw error;
    return unreadable(sentenceOf(error).replace(`${place.path}: `, ''));
  } finally {
    await opened?.close();
  }
};

/** The format or the mapping that reads the file, or null. */
const readerOf = (path: string, opened: OpenedSource, mappings: Mappings): string | null => {
  try {
    const format = detectFormat(path, opened, mappings);
    if (format.kind === 'rows') return `the mapping ${format.mapping.name}`;
    if (format.kind === 'frames') return 'recorded frames of a venue';
    return format.kind === 'other' ? null : `the format ${format.name}`;
  } catch (error) {
    if (error instanceof ImportError) return null;
    throw error;
  }
};

/** How the rows or the books of a file are imported, and why. */
const wayLines = async (
  path: string,
  opened: OpenedSource,
  { mappings, missing }: Pick<Explained, 'mappings' | 'missing'>,
): Promise<readonly string[]> => {
  try {
    const format = detectFormat(path, opened, mappings);
    const found = wayFinder(path, opened, format);
    if (found === null) return [];
    const best = found(null);
    const { isBulk, why } = best.isBulk ? found(await missing()) : best;
    return [`Imported by ${isBulk ? 'column' : 'row'}: ${why}.`];
  } catch (error) {
    if (error instanceof ImportError) return [];
    throw error;
  }
};

/** Null: files of this format have one way. */
const wayFinder = (
  path: string,
  { sizeBytes }: OpenedSource,
  format: DetectedFormat,
): ((missing: StagingMissing | null) => ImportWay) | null => {
  if (format.kind === 'frames' || format.kind === 'hour') return (missing) => bookWayOf({ sizeBytes, missing });
  if (format.kind !== 'rows') return null;
  const { compiled, source } = boundRows(format, path, knownOutcomes());
  return (missing) => wayOf(compiled, { source, sizeBytes, missing });
};

interface Sample {
  readonly columns: readonly ColumnFacts[];
  readonly rows: number;
  readonly isWhole: boolean;
  readonly shown: readonly (readonly string[])[];
}

const sampleOf = async (source: Source, { found }: OpenedSource): Promise<Sample> => {
  const table = 'records' in found ? found.records.table : undefined;
  const declared = new Map(table?.columns.map(({ name, type, time }) => [name, { type, isTime: time !== undefined }]));
  const cells = [...new Set(source.columns)].flatMap((name) => {
    const cell = source.columns.indexOf(name) === source.columns.lastIndexOf(name) ? source.findCell(name) : null;
    return cell === null ? [] : [{ cell, ...columnCollector(name, declared.get(name) ?? null) }];
  });
  let rows = 0;
  const shown: (readonly string[])[] = [];
  for await (const block of source.blocks()) {
    for (const row of block.rows.slice(0, rowsMax - rows)) {
      if (shown.length < shownRows) shown.push(cells.map(({ cell }) => row[cell] ?? ''));
      for (const { cell, see } of cells) see(row[cell] ?? '');
      rows += 1;
    }
    if (rows >= rowsMax) break;
  }
  return { columns: cells.map(({ facts }) => facts()), rows, isWhole: rows < rowsMax, shown };
};

const sampleLines = ({ format }: Source, { columns, rows, isWhole, shown }: Sample): readonly string[] => {
  const width = Math.max(...columns.map(({ name }) => name.length), 0);
  const typeWidth = Math.max(...columns.map(({ type }) => type.length), 0);
  return [
    `${format}, ${columns.length} columns. ${isWhole ? `All ${rows} rows` : `The first ${rows} rows`} have:`,
    ...columns.map(({ name, type, range, values }) => {
      const empty = values === rows ? '' : values === 0 ? 'always empty' : `, empty in ${rows - values}`;
      const shownRange = range === null ? '' : range[0] === range[1] ? range[0] : `${range[0]} to ${range[1]}`;
      return `  ${name.padEnd(width)}  ${type.padEnd(typeWidth)}  ${shownRange}${empty}`;
    }),
    'Rows:',
    ...shown.map((row) => `  ${row.map(shortened).join(' | ')}`),
  ];
};

interface Unread {
  readonly source: Source;
  readonly mappings: Mappings;
  readonly sample: Sample;
  readonly path: string;
}

const readerLines = (readBy: string | null, { source, mappings, sample, path }: Unread): readonly string[] => {
  if (readBy !== null) return [`Read by ${readBy}.`];
  const near = (isMapping(mappings) ? [mappings] : mappings)
    .map((mapping) => ({ mapping, missing: missingColumns(mapping, source) }))
    .filter(({ mapping, missing }) => missing.length < mapping.match.columns.length)
    .toSorted((a, b) => a.missing.length - b.missing.length)
    .slice(0, nearMax);
  const isTyped = (column: string): boolean => source.times?.has(column) === true;
  const suggested = suggestedMapping(nameOf(path), { columns: sample.columns, isTyped });
  return [
    'No built-in format or mapping reads it.',
    ...near.map(({ mapping: { name, format }, missing }) =>
      missing.length === 0 ? `  ${name} is for ${format}` : `  ${name} needs the missing columns ${missing.join(', ')}`,
    ),
    ...('yaml' in suggested ? checked(suggested.yaml) : unsuggested(suggested)),
  ];
};

const unsuggested = ({ missing, unfit }: { missing: string; unfit: readonly string[] }): readonly string[] => [
  ...(missing === '' ? [] : [`For a mapping, no column looks like ${missing}.`]),
  ...unfit.map((why) => `For a mapping, ${why}`),
];

/** The file without its endings. */
const nameOf = (path: string): string => basename(path).split('.', 1)[0] || 'mine';

/** What is printed is a valid mapping. */
const checked = (yaml: string): readonly string[] => {
  parseMapping(yaml, 'suggested.yaml');
  return [
    'A mapping to start from. Check each field, save it, and import with --mapping FILE:',
    '',
    ...yaml.split('\n'),
    '',
  ];
};
