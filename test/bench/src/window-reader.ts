import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { type Window, windowReaderJob } from './window-reader-job.js';
import { answerParent } from './worker.js';

const clients = 16;
const requestMsMax = 60_000;

const row = z.object({ ts: z.number(), yes_best_bid: z.number().nullable(), yes_best_ask: z.number().nullable() });
const answer = z.object({ snapshots: z.array(row) });
type Row = z.output<typeof row>;

const sumOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, { ts, yes_best_bid, yes_best_ask }) => {
    const cents = Math.round((yes_best_bid ?? 0) * 100) * 101 + Math.round((yes_best_ask ?? 0) * 100);
    return (sum + (Math.round(ts) % 100_000) * 7 + cents) % 2 ** 31;
  }, rows.length);

/** Reads all windows with this many clients, each into objects. */
const readAll = async (all: readonly Window[], openClient: () => Promise<(one: Window) => Promise<Row[]>>) => {
  const left = all.values();
  const readers = await Promise.all(Array.from({ length: clients }, openClient));
  let digest = 0;
  const startedAt = performance.now();
  const run = async (read: (one: Window) => Promise<Row[]>): Promise<void> => {
    for (const one of left) {
      const rows = await read(one);
      digest = (digest + sumOf(rows)) % 2 ** 31;
    }
  };
  await Promise.all(readers.map(run));
  return { seconds: (performance.now() - startedAt) / 1_000, digest };
};

const fromApi = ({ url, authorization }: { url: string; authorization: string }) =>
  Promise.resolve(async ({ ticker, startTs, endTs }: Window): Promise<Row[]> => {
    const path = `/markets/${ticker}/snapshots?start_ts=${startTs}&end_ts=${endTs}&limit=1000`;
    const options = { headers: { authorization }, signal: AbortSignal.timeout(requestMsMax) };
    const response = await fetch(url + path, options);
    if (response.status !== 200) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
    return answer.parse(await response.json()).snapshots;
  });

/** The window as a person asks DuckDB for it. Each client has a connection, as DuckDB advises. */
const sql = `SELECT epoch_us(ts)::DOUBLE / 1e6 AS ts, yes_best_bid::DOUBLE AS yes_best_bid, yes_best_ask::DOUBLE AS yes_best_ask,
    coin_price::DOUBLE AS coin_price
  FROM read_parquet($path) WHERE ticker = $ticker AND ts >= to_timestamp($startTs) AND ts < to_timestamp($endTs) ORDER BY ts`;

const fromParquet = async (path: string, all: readonly Window[]) => {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    return await readAll(all, async () => {
      const connection = await instance.connect();
      return async ({ ticker, startTs, endTs }) => {
        const reader = await connection.runAndReadAll(sql, { path, ticker, startTs, endTs });
        return z.array(row).parse(reader.getRowObjectsJS());
      };
    });
  } finally {
    instance.closeSync();
  }
};

answerParent(async (message) => {
  const job = windowReaderJob.parse(message);
  return job.kind === 'api' ? readAll(job.windows, () => fromApi(job)) : fromParquet(job.path, job.windows);
});
