import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { ArchiveError, sentenceOf } from '../errors.js';
import { OpenContainers } from '../sources/packed/containers.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import { noteReadObjects, ReadObjects } from '../places/read-objects.js';
import { Places, type PlacesOptions } from '../places/places.js';
import { findFiles } from './find-files.js';
import { importFile, type ImportOptions } from './import-file.js';
import { repeatedRows } from './repeated-rows.js';
import { inReadingOrder, isMapping } from './detect-format.js';
import { type FileReport, newReport } from './report.js';

export interface ImportResult {
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

/** Imports files, folders and places, catalogues first. Only a failed archive stops it. Rejects for an unreadable path. */
export const runImport = async (
  paths: readonly string[],
  options: Omit<ImportOptions, 'known' | 'repeated' | 'repeatedTrades' | 'feed' | 'containers'> & {
    readonly onFile?: (report: FileReport) => void;
    readonly places?: PlacesOptions;
    /** Whether to skip the objects of places that did not change, of which a file in `refusedFolder` is kept. Default: all are read. */
    readonly unchanged?: UnchangedOptions;
  },
): Promise<ImportResult> => {
  const reports: FileReport[] = [];
  const known = knownCatalogue();
  const places = new Places(options.places);
  const containers = new OpenContainers(places.open);
  const repeated = repeatedRows(options.refusedFolder);
  const repeatedTrades = repeatedRows(options.refusedFolder);
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
      reports.push(report);
      options.onFile?.(report);
    }
    const changed = found.filter(({ unchangedSince }) => unchangedSince === undefined);
    const note = read && noteReadObjects(changed, read, options.startedAt.toISOString());
    const { files, frames } = await inReadingOrder(changed, { mappings: options.mappings, containers });
    const feed = { frames, rebuild: null };
    for (const file of files) {
      const report = await importFile(file, { ...options, known, repeated, repeatedTrades, feed, containers });
      reports.push(report);
      options.onFile?.(report);
      await note?.(file, report);
      if (report.archiveFailed) return { reports, aborted: report.error };
    }
  } finally {
    await containers.close();
    places.close();
    repeated.close();
    repeatedTrades.close();
  }
  try {
    await options.archive.settled();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { reports, aborted: sentenceOf(error) };
  }
  return { reports, aborted: null };
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
