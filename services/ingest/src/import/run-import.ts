import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ArchiveError, sentenceOf } from '../errors.js';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { noteReadObjects, ReadObjects } from '../places/read-objects.js';
import { Places, type PlacesOptions } from '../places/places.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import { knownOutcomes } from '../sources/known-outcomes.js';
import { OpenContainers } from '../sources/packed/containers.js';
import { inReadingOrder, isMapping, type Mappings } from './detect-format.js';
import { findFiles, type FoundFile } from './find-files.js';
import { importFile, type ImportOptions, sampleUsUsual } from './import-file.js';
import { type ReadyFiles, WaitingMarkets } from './import-waiting.js';
import { repeatedRows } from './repeated-rows.js';
import { type FileReport, newReport } from './report.js';
import { waitingLines } from './waiting-lines.js';
import { type WaitingFile, waitingFiles, waitingInMemory } from './waiting-files.js';

export interface ImportResult {
  /** One for each file. That of a file that was imported again is of the second time. */
  readonly reports: readonly FileReport[];
  /** Why it stopped early, or why its end is uncertain. */
  readonly aborted: string | null;
}

export interface UnchangedOptions {
  /** The address of the archive, which has what was read. */
  readonly archive: string;
  /** Reads all objects, and notes what was read. */
  readonly again: boolean;
}

type Shared = 'known' | 'outcomes' | 'repeated' | 'repeatedTrades' | 'repeatedCandles' | 'feed' | 'containers';

export interface RunOptions extends Omit<ImportOptions, Shared> {
  /** The file of the mapping, if it is none of the built-in ones. */
  readonly mappingFile?: string | null;
  readonly isDryRun?: boolean;
  readonly places?: PlacesOptions;
  /** Whether to skip the objects of places that did not change, of which a file in `refusedFolder` is kept. Default: all are read. */
  readonly unchanged?: UnchangedOptions;
  readonly onFile?: (report: FileReport) => void;
  /** A line for the reader of the report, between files. */
  readonly onLine?: (line: string) => void;
}

/**
 * Imports files, folders and places, catalogues first, and then the files that waited for what they name. Only a failed archive
 * stops it. Rejects for an unreadable path.
 */
export const runImport = async (paths: readonly string[], options: RunOptions): Promise<ImportResult> => {
  const reports = new Map<string, FileReport>();
  const places = new Places(options.places);
  const outcomes = knownOutcomes(options.archive.marketsOf);
  const shared = {
    known: knownCatalogue(),
    outcomes,
    containers: new OpenContainers(places.open),
    repeated: repeatedRows(options.refusedFolder),
    repeatedTrades: repeatedRows(options.refusedFolder),
    repeatedCandles: repeatedRows(options.refusedFolder),
  };
  const list = options.isDryRun === true ? waitingInMemory() : waitingFiles(join(options.refusedFolder, 'waiting'));
  const waiting = new WaitingMarkets(list, outcomes, () => builtInOf(options.mappings));

  /** Returns why the archive failed, or null. */
  const importThese = async (
    found: readonly FoundFile[],
    { mappings, how }: Pick<ReadyFiles, 'mappings' | 'how'>,
    note: ReturnType<typeof noteReadObjects> | null = null,
  ): Promise<string | null> => {
    const { files, frames, hours } = await inReadingOrder(found, { mappings, containers: shared.containers });
    const feed = { frames, hours, rebuild: null };
    for (const file of files) {
      const report = await importFile(file, { ...options, ...shared, ...optionsOf(how), mappings, feed });
      reports.delete(report.file);
      reports.set(report.file, report);
      options.onFile?.(report);
      await note?.(file, report);
      if (report.archiveFailed) return report.error;
      await waiting.note(report, file, { how, startedAt: options.startedAt });
    }
    return null;
  };
  const importReady = async (): Promise<string | null> => {
    for (let ready = await waiting.ready(); ready.length > 0; ready = await waiting.ready())
      for (const group of ready) {
        for (const line of waitingLines(group.files)) options.onLine?.(line);
        const aborted = await importThese(await foundOf(group, places), group);
        if (aborted !== null) return aborted;
      }
    return null;
  };

  try {
    const read = options.unchanged ? await readObjects(options, options.unchanged) : null;
    const found = await findFiles(paths, {
      anyPath: isMapping(options.mappings),
      places,
      read: options.unchanged?.again === true ? null : read,
    });
    for (const { path, unchangedSince } of found) {
      if (unchangedSince === undefined) continue;
      const report = { ...newReport(path), unchangedSince };
      reports.set(path, report);
      options.onFile?.(report);
    }
    const changed = found.filter(({ unchangedSince }) => unchangedSince === undefined);
    const note = read && noteReadObjects(changed, read, options.startedAt.toISOString());
    await waiting.begin();
    const first = { mappings: options.mappings, how: howOf(options) };
    const aborted = (await importThese(changed, first, note)) ?? (await importReady());
    if (aborted !== null) return { reports: Array.from(reports.values()), aborted };
    for (const line of waiting.takeLines()) options.onLine?.(line);
  } finally {
    await shared.containers.close();
    places.close();
    shared.repeated.close();
    shared.repeatedTrades.close();
    shared.repeatedCandles.close();
  }
  try {
    await options.archive.settled();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { reports: Array.from(reports.values()), aborted: sentenceOf(error) };
  }
  return { reports: Array.from(reports.values()), aborted: null };
};

const builtInOf = async (mappings: Mappings): Promise<Mappings> =>
  isMapping(mappings) ? loadBuiltInMappings() : mappings;

const howOf = ({ mappingFile = null, sampleUs = sampleUsUsual, sequence, exact }: RunOptions): WaitingFile['how'] => ({
  mapping: mappingFile,
  sample_us: sampleUs,
  sequence: sequence ?? null,
  exact: exact === true,
});

const optionsOf = ({ sample_us: sampleUs, sequence, exact }: WaitingFile['how']) => ({
  sampleUs,
  exact,
  sequence: sequence ?? undefined,
});

/** A file in a container is opened in its container. */
const foundOf = async ({ files, mappings }: ReadyFiles, places: Places): Promise<readonly FoundFile[]> => {
  const names = new Set(files.map(({ file }) => file));
  const paths = [...new Set(files.map(({ place }) => place))];
  const found = await findFiles(paths, { anyPath: isMapping(mappings), places, read: null });
  return found.filter(({ path }) => names.has(path));
};

/** What was read with other options would give other rows. */
const readObjects = async (
  {
    mappings,
    exact,
    sampleUs,
    sequence,
    refusedFolder,
  }: Pick<ImportOptions, 'mappings' | 'exact' | 'sampleUs' | 'sequence' | 'refusedFolder'>,
  { archive }: UnchangedOptions,
): Promise<ReadObjects> => {
  const text = inspect([archive, mappings, exact, sampleUs, sequence], {
    depth: Infinity,
    maxArrayLength: null,
    maxStringLength: null,
  });
  return ReadObjects.open(refusedFolder, createHash('sha256').update(text).digest('hex').slice(0, 16));
};
