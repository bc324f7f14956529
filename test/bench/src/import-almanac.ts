import { connectBus, rpcClient } from '@almanac/bus';
import { busArchive, loadBuiltInMappings, runImport } from '@almanac/ingest';
import { z } from 'zod';
import { answerParent } from './worker.js';

const workerMessage = z.object({
  file: z.string(),
  refusedFolder: z.string(),
  natsUrl: z.string(),
  password: z.string(),
});

/** Runs `npm run import` in a running process, as the other side does. */
answerParent(async (input) => {
  const { file, refusedFolder, natsUrl, password } = workerMessage.parse(input);
  const mappings = await loadBuiltInMappings();
  const bus = await connectBus({ url: natsUrl, user: 'ingest', password });
  try {
    const archive = busArchive(rpcClient(bus));
    const startedAt = performance.now();
    const { reports, aborted } = await runImport([file], { archive, mappings, refusedFolder, startedAt: new Date() });
    const seconds = (performance.now() - startedAt) / 1_000;
    const error = aborted ?? reports.find((report) => report.error !== null)?.error;
    if (error) throw new Error(error);
    return { seconds };
  } finally {
    await bus.close();
  }
});
