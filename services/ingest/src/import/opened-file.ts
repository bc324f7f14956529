import { ImportError } from '../errors.js';
import type { FrameFile } from '../sources/frames.js';
import type { OpenedSource } from '../sources/open-source.js';
import { count, type FileReport } from './report.js';

/** Frames are lines, or the records of a document. */
export const framesOf = (path: string, { text, sizeBytes, bytesRead }: OpenedSource): FrameFile => ({
  path,
  text,
  sizeBytes,
  bytesRead,
});

/** What a typed file states about itself, and what its path states otherwise, goes to the report. */
export const noteTable = (report: FileReport, { found, differences }: OpenedSource): void => {
  for (const [difference, rows] of differences) count(report.warnings, difference, rows);
  const table = 'records' in found ? found.records.table : undefined;
  for (const [column, times] of table?.floats ?? []) count(report.floats, column, times);
  for (const warning of table?.warnings ?? []) count(report.warnings, warning);
};

/** A file that a folder contains is skipped. One that the command line names is an error. */
export const passOver = (report: FileReport, { isNamed, why }: { isNamed: boolean; why: string }): FileReport => {
  if (isNamed) throw new ImportError(`${report.file}: ${why}`);
  report.passedOver = why;
  return report;
};

export const noBooks = (mapping: string): string =>
  `the mapping ${mapping} does not describe recordings of order books. Import this one without --mapping`;
