import type { Archive } from '../archive.js';
import type { OpenedSource } from '../sources/open-source.js';
import type { Numbering } from '../sources/source.js';
import type { AcceptAltered } from '../values/altered.js';
import { catalogueBatchSender } from './catalogue-batch-sender.js';
import { type FileContext, noteAltered } from './file-context.js';
import type { ImportOptions } from './import-file.js';
import type { RefusedRows } from './refused-rows.js';
import type { FileReport } from './report.js';
import { rollingDetector } from './rolling.js';

/** The import of one file, and what it reports. */
export interface ReportedWork {
  readonly options: ImportOptions;
  readonly report: FileReport;
  readonly refused: RefusedRows;
}

export interface FileWork extends ReportedWork {
  readonly opened: OpenedSource;
}

export const contextOf = ({ options, report, refused }: ReportedWork, numbering: Numbering): FileContext => {
  report.numbering = numbering;
  const archive = countedArchive(options);
  return {
    archive,
    catalogue: catalogueBatchSender(archive),
    report,
    refused,
    series: rollingDetector(),
    labels: new Map(),
    numbering,
    exact: options.exact === true,
  };
};

/** Batches of one market and time are stored one after the other, so repeated rows are counted in that order. */
const countedArchive = ({ archive, repeated, repeatedTrades }: ImportOptions): Archive => ({
  ...archive,
  storeObservations: async (batch) => {
    await archive.storeObservations(batch);
    (batch.columns === 'trades' ? repeatedTrades : repeated).add(batch);
  },
});

/** Counts an altered value of a message, or refuses the message with `exact`. */
export const acceptAltered =
  (context: FileContext): AcceptAltered =>
  (altered) => {
    if (context.exact === true) return false;
    noteAltered(context, [altered]);
    return true;
  };
