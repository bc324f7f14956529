import type { Archive } from '../archive.js';
import { catalogueBatchSender } from '../intake/catalogue-batch-sender.js';
import type { FileContext } from '../intake/file-context.js';
import { newReport } from '../intake/report.js';
import { rollingDetector } from '../intake/rolling.js';

export interface CaptureContextOptions {
  readonly archive: Archive;
  readonly name: string;
  /** Called for the first message of each reason. Further ones are only counted. */
  readonly onRefused: (reason: string, text: string) => void;
}

const textCharsMax = 500;

/** The file context of a live feed. It counts refused messages by reason and reports the first of each. */
export const captureContext = ({ archive, name, onRefused }: CaptureContextOptions): FileContext => {
  const reportedReasons = new Set<string>();
  return {
    archive,
    catalogue: catalogueBatchSender(archive),
    report: newReport(name),
    refused: {
      add: ({ reason, row }) => {
        if (reportedReasons.has(reason)) return;
        reportedReasons.add(reason);
        onRefused(reason, row.slice(0, textCharsMax));
      },
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
      path: () => null,
    },
    series: rollingDetector(),
    labels: new Map(),
    numbering: 'record',
  };
};
