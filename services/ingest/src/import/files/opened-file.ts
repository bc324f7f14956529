import { ImportError } from '../../errors.js';
import type { BookRuns, BookSource } from '../../model/book-source.js';
import type { BookMessage } from '../../model/feed-message.js';
import { type FramesOptions, openFrames } from '../../recordings/frames.js';
import type { OpenedSource } from '../../sources/open/open-source.js';
import type { AcceptAltered } from '../../values/altered.js';
import type { DetectedFormat } from './detect-format.js';
import { count, type FileReport } from '../../intake/report.js';

interface OpenedFrames {
  readonly path: string;
  readonly opened: OpenedSource;
  readonly recognised: Extract<DetectedFormat, { kind: 'frames' }>;
}

/** Frames are lines, the records of a document, or cells of a table. */
export const openRecording = async (
  { path, opened: { text, sizeBytes, bytesRead }, recognised: { document, mapped } }: OpenedFrames,
  accept: AcceptAltered,
  options: Pick<FramesOptions, 'outcomes' | 'isByColumn'>,
): Promise<BookSource<BookMessage | BookRuns>> => {
  const file = { path, text: mapped?.text ?? text, sizeBytes, bytesRead };
  const source = await openFrames([file], accept, { ...options, document, envelope: mapped?.envelope ?? null });
  return mapped ? { ...source, name: () => mapped.name } : source;
};

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
