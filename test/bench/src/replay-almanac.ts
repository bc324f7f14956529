import { dryRunArchive, runImport } from '@almanac/ingest';
import { z } from 'zod';
import { answerParent } from './worker.js';

const workerMessage = z.object({ folder: z.string(), refusedFolder: z.string() });

/** The steps of `npm run import` for a book recording up to the bus: read, rebuild, sample, write rows. */
answerParent(async (input) => {
  const { folder, refusedFolder } = workerMessage.parse(input);
  const before = process.cpuUsage();
  const options = { archive: dryRunArchive, mappings: [], refusedFolder, startedAt: new Date() };
  const { reports } = await runImport([folder], options);
  const { user, system } = process.cpuUsage(before);
  const [report] = reports;
  if (!report?.books || report.error !== null || report.refused.size > 0) throw new Error(report?.error ?? 'no books');
  const { changes } = report.books;
  return { changes, cpuSeconds: (user + system) / 1e6, peakMb: process.resourceUsage().maxRSS / 1_024 };
});
