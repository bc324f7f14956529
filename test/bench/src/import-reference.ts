import { connectClickHouse, insertBytes } from '@almanac/clickhouse';
import { observationColumns } from '@almanac/contracts';
import { type Archive, dryRunArchive, loadBuiltInMappings, runImport } from '@almanac/ingest';
import { z } from 'zod';
import { answerParent } from './worker.js';

const workerMessage = z.object({
  file: z.string(),
  refusedFolder: z.string(),
  table: z.string(),
  url: z.string(),
  username: z.string(),
  password: z.string(),
});

/** The concurrency of an import. */
const inFlight = 4;

/** The batches that an import creates from the file, parsed and encoded before the clock starts. */
const batchesOf = async (file: string, refusedFolder: string): Promise<Buffer[]> => {
  const batches: Buffer[] = [];
  const archive: Archive = {
    ...dryRunArchive,
    storeObservations: ({ body }) => {
      batches.push(Buffer.from(body));
      return Promise.resolve();
    },
  };
  await runImport([file], { archive, mappings: await loadBuiltInMappings(), refusedFolder, startedAt: new Date() });
  return batches;
};

/** One Node process that only inserts ready batches. */
answerParent(async (input) => {
  const { file, refusedFolder, table, ...account } = workerMessage.parse(input);
  const left = (await batchesOf(file, refusedFolder)).toReversed();
  const clickhouse = connectClickHouse(account);
  try {
    const insert = async (): Promise<void> => {
      for (let body = left.pop(); body !== undefined; body = left.pop()) {
        await insertBytes(clickhouse, { table, columns: observationColumns, format: 'TabSeparated', body });
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: inFlight }, insert));
    return { seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    await clickhouse.close();
  }
});
