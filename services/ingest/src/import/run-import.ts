import { ArchiveError, sentenceOf } from '../errors.js';
import { OpenContainers } from '../sources/packed/containers.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import { findFiles } from './find-files.js';
import { importFile, type ImportOptions } from './import-file.js';
import { repeatedRows } from './repeated-rows.js';
import { inReadingOrder, isMapping } from './detect-format.js';
import type { FileReport } from './report.js';

export interface ImportResult {
  readonly reports: readonly FileReport[];
  /** Why it stopped early, or why its end is uncertain. */
  readonly aborted: string | null;
}

/** Imports files and folders, catalogues first. Only a failed archive stops it. Rejects for an unreadable path. */
export const runImport = async (
  paths: readonly string[],
  options: Omit<ImportOptions, 'known' | 'repeated' | 'repeatedTrades' | 'repeatedCandles' | 'feed' | 'containers'> & {
    readonly onFile?: (report: FileReport) => void;
  },
): Promise<ImportResult> => {
  const reports: FileReport[] = [];
  const known = knownCatalogue();
  const containers = new OpenContainers();
  const repeated = repeatedRows(options.refusedFolder);
  const repeatedTrades = repeatedRows(options.refusedFolder);
  const repeatedCandles = repeatedRows(options.refusedFolder);
  try {
    const found = await findFiles(paths, { anyPath: isMapping(options.mappings) });
    const { files, frames } = await inReadingOrder(found, { mappings: options.mappings, containers });
    const feed = { frames, rebuild: null };
    for (const file of files) {
      const shared = { known, repeated, repeatedTrades, repeatedCandles, feed, containers };
      const report = await importFile(file, { ...options, ...shared });
      reports.push(report);
      options.onFile?.(report);
      if (report.archiveFailed) return { reports, aborted: report.error };
    }
  } finally {
    await containers.close();
    repeated.close();
    repeatedTrades.close();
    repeatedCandles.close();
  }
  try {
    await options.archive.settled();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { reports, aborted: sentenceOf(error) };
  }
  return { reports, aborted: null };
};
