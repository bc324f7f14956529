import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { mapNames } from '@almanac/contracts';
import { ArchiveJoins } from '../joins/archive-joins.js';
import { ArchiveError, sentenceOf } from '../errors.js';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { noteReadObjects, ReadObjects } from './files/read-objects.js';
import { Places, type PlacesOptions } from '../places/places.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import { knownOutcomes } from '../sources/known-outcomes.js';
import { OpenContainers } from '../sources/open/containers.js';
import { inReadingOrder, isMapping, type Mappings } from './files/detect-format.js';
import { findFiles, type FoundFile } from './files/find-files.js';
import { importFile, type ImportOptions, sampleUsUsual } from './import-file.js';
import { type ReadyFiles, WaitingMarkets } from './files/import-waiting.js';
import { repeatedRows, storedKinds } from '../intake/repeated-rows.js';
import { type FileReport, newReport } from '../intake/report.js';
import { waitingLines } from './files/waiting-lines.js';
import { type WaitingFile, waitingFiles, waitingInMemory } from './files/waiting-files.js';

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

type Shared = 'known' | 'outcomes' | 'repeated' | 'joins' | 'feed' | 'containers';

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
  const run = new ImportRun(options);
  try {
    const aborted = (await run.importPaths(paths)) ?? (await run.importReady());
    if (aborted !== null) return { reports: run.reports(), aborted };
    run.nameLeft();
  } finally {
    await run.close();
  }
  try {
    await run.join();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { reports: run.reports(), aborted: sentenceOf(error) };
  }
  return { reports: run.reports(), aborted: null };
};

/** What the files of one import share. Methods that import return why the archive failed, or null. */
class ImportRun {
  private readonly byFile = new Map<string, FileReport>();
  private readonly places: Places;
  private readonly shared: Pick<ImportOptions, Exclude<Shared, 'feed'>>;
  private readonly waiting: WaitingMarkets;
  private readonly joins: ArchiveJoins;

  constructor(private readonly options: RunOptions) {
    const { archive, refusedFolder, isDryRun } = options;
    this.places = new Places(options.places);
    this.joins = new ArchiveJoins(archive, (line) => options.onLine?.(line));
    this.shared = {
      known: knownCatalogue(),
      outcomes: knownOutcomes(archive.marketsOf),
      containers: new OpenContainers(this.places.open),
      repeated: mapNames(storedKinds, (kind) =>
        repeatedRows(refusedFolder, { key: kind === 'trades' ? 'digest' : 'time' }),
      ),
      joins: this.joins,
    };
    const list = isDryRun === true ? waitingInMemory() : waitingFiles(join(refusedFolder, 'waiting'));
    this.waiting = new WaitingMarkets(list, this.shared.outcomes, () => builtInOf(options.mappings));
  }

  reports(): readonly FileReport[] {
    return Array.from(this.byFile.values());
  }

  async importPaths(paths: readonly string[]): Promise<string | null> {
    const { mappings, unchanged, startedAt } = this.options;
    const read = unchanged ? await readObjects(this.options, unchanged) : null;
    const skips = unchanged?.again === true ? null : read;
    const found = await findFiles(paths, { anyPath: isMapping(mappings), places: this.places, read: skips });
    for (const { path, unchangedSince } of found)
      if (unchangedSince !== undefined) this.note({ ...newReport(path), unchangedSince });
    const changed = found.filter(({ unchangedSince }) => unchangedSince === undefined);
    await this.waiting.begin();
    const noteRead = read && noteReadObjects(changed, read, startedAt.toISOString());
    return this.importFiles(changed, { mappings, how: howOf(this.options) }, noteRead);
  }

  /** Imports what waited for markets that this import has named. */
  async importReady(): Promise<string | null> {
    for (let ready = await this.waiting.ready(); ready.length > 0; ready = await this.waiting.ready())
      for (const group of ready) {
        for (const line of waitingLines(group.files)) this.options.onLine?.(line);
        const aborted = await this.importFiles(await foundOf(group, this.places), group);
        if (aborted !== null) return aborted;
      }
    return null;
  }

  /** Names what waited and could not be imported again. */
  nameLeft(): void {
    for (const line of this.waiting.takeLines()) this.options.onLine?.(line);
  }

  /** Joins what was stored with the rest of the archive. Resolves when queries can find everything. */
  join(): Promise<void> {
    return this.joins.join();
  }

  async close(): Promise<void> {
    const { containers, repeated } = this.shared;
    await containers.close();
    this.places.close();
    for (const rows of Object.values(repeated)) rows.close();
  }

  private async importFiles(
    found: readonly FoundFile[],
    { mappings, how }: Pick<ReadyFiles, 'mappings' | 'how'>,
    noteRead: ReturnType<typeof noteReadObjects> | null = null,
  ): Promise<string | null> {
    const { options, shared } = this;
    const { files, ...order } = await inReadingOrder(found, { mappings, containers: shared.containers });
    const feed = { ...order, rebuild: null };
    for (const file of files) {
      const report = await importFile(file, { ...options, ...shared, ...optionsOf(how), mappings, feed });
      this.note(report);
      await noteRead?.(file, report);
      if (report.archiveFailed) return report.error;
      await this.waiting.note(report, file, { how, startedAt: options.startedAt });
    }
    return null;
  }

  /** The report of a file that is imported again replaces the first one. */
  private note(report: FileReport): void {
    this.byFile.delete(report.file);
    this.byFile.set(report.file, report);
    this.options.onFile?.(report);
  }
}

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
