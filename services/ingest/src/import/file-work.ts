import { catalogueBatchSender } from './catalogue-batch-sender.js';
import { countedArchive } from './counted-archive.js';
import type { FileContext } from './file-context.js';
import { rollingDetector } from './rolling.js';
import type { ReportedWork } from './take-blocks.js';
import type { Numbering } from '../sources/source.js';

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
