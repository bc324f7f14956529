import type { Archive } from '../archive.js';
import { ArchiveError, ImportError, sentenceOf } from '../errors.js';
import { chooseMapping, requireMapping } from '../mapping/choose-mapping.js';
import { compileMapping } from '../mapping/compile-mapping.js';
import type { Mapping } from '../mapping/mapping.js';
import { openSource, type OpenedSource } from '../sources/open-source.js';
import { catalogueLane } from './catalogue-lane.js';
import type { FileContext, RowTaker } from './file-context.js';
import { observationRows } from './observation-rows.js';
import { marketRows } from './market-rows.js';
import { refusedRows, type RefusedRows } from './refused-rows.js';
import { count, newReport, type FileReport } from './report.js';
import { rollingDetector } from './rolling.js';

export interface ImportOptions {
  readonly archive: Archive;
  /** The mappings to choose from, or the one that was asked for. */
  readonly mappings: readonly Mapping[] | Mapping;
  /** Where files of refused rows go. */
  readonly refusedFolder: string;
  readonly startedAt: Date;
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface FileProgress {
  readonly file: string;
  readonly sizeBytes: number;
  readonly bytesRead: number;
  readonly rowsRead: number;
  readonly observationsStored: number;
}

/**
 * Imports one file. What is wrong with it, or with the archive, ends in its report's `error`; what was read before is
 * stored whole.
 */
export const importFile = async (file: string, options: ImportOptions): Promise<FileReport> => {
  const report = newReport(file);
  const refused = refusedRows(options.refusedFolder, file, options.startedAt);
  const startedAt = performance.now();
  try {
    await importRows({ file, options, report, refused });
  } catch (error) {
    report.error = sentenceOf(error);
    report.archiveFailed = error instanceof ArchiveError;
    if (!report.archiveFailed && !(error instanceof ImportError) && !isFileSystemError(error)) throw error;
  } finally {
    await refused.close();
    report.refusedFile = refused.path();
    report.seconds = (performance.now() - startedAt) / 1000;
  }
  return report;
};

const isFileSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';

interface FileWork {
  readonly file: string;
  readonly options: ImportOptions;
  readonly report: FileReport;
  readonly refused: RefusedRows;
}

const importRows = async (work: FileWork): Promise<void> => {
  const { file, options, report, refused } = work;
  const opened = await openSource(file);
  const { source } = opened;
  const header = { file, format: source.format, columns: source.columns };
  const chosen = isList(options.mappings)
    ? chooseMapping(header, options.mappings)
    : requireMapping(header, options.mappings);
  const mapping = compileMapping(chosen, file, source.findCell);
  report.mapping = mapping.name;
  const context: FileContext = {
    archive: options.archive,
    catalogue: catalogueLane(options.archive),
    report,
    refused,
    series: rollingDetector(),
    mapping,
  };
  const observes = mapping.views.some((view) => view.observation !== null);
  await takeRows(work, opened, { context, rows: observes ? observationRows(context) : marketRows(context) });
};

const isList = (mappings: readonly Mapping[] | Mapping): mappings is readonly Mapping[] => Array.isArray(mappings);

const takeRows = async (
  { file, options, report, refused }: FileWork,
  opened: OpenedSource,
  { context, rows }: { context: FileContext; rows: RowTaker },
): Promise<void> => {
  let broken: { readonly error: unknown } | null = null;
  try {
    for await (const block of opened.source.blocks()) {
      report.rowsRead += block.rows.length + block.broken.length;
      for (const { line, reason, text } of block.broken) {
        count(report.refused, reason);
        refused.add({ line, reason, row: text });
      }
      await rows.take(block);
      await refused.flush();
      const { rowsRead, observationsStored } = report;
      options.onProgress?.({
        file,
        sizeBytes: opened.sizeBytes,
        bytesRead: opened.bytesRead(),
        rowsRead,
        observationsStored,
      });
    }
  } catch (error) {
    broken = { error };
  }
  await rows.finish();
  await recordShapes(context);
  if (broken) throw broken.error;
};

/** Series facts come last, when the windows of all markets are known. */
const recordShapes = async (context: FileContext): Promise<void> => {
  const { catalogue, report, series, mapping } = context;
  report.rolling.push(...series.rolling());
  for (const id of mapping.shape === null ? report.rolling : series.all())
    await catalogue.add({ kind: 'series', id, shape: mapping.shape ?? 'rolling' }, () => undefined);
  await catalogue.flush();
};
