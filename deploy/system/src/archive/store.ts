import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, type RpcClient, rpcClient } from '@almanac/bus';
import { catalogRpc, timeseriesRpc } from '@almanac/contracts';
import type { System } from '../system.js';
import { generateArchive, type GeneratedArchive } from './generate.js';
import { type GeneratedRow, rowText } from './row.js';

/** Rows with books have about 300 bytes, so a batch stays below the bus's limit of 1 MiB. */
const batchRows = 2_000;
const factsMax = 500;

type Target = Pick<System, 'infrastructure' | 'secrets'>;

export const storeGeneratedArchive = (system: Target, nowS: number): Promise<{ markets: number; rows: number }> =>
  storeArchive(system, generateArchive(nowS));

/** Stores an archive in a running system through the same calls as an import. Returns the counts. */
export const storeArchive = async (
  { infrastructure, secrets }: Target,
  archive: GeneratedArchive,
): Promise<{ markets: number; rows: number }> => {
  const bus: Bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const client = rpcClient(bus);
    let last_seq = 0;
    for (let at = 0; at < archive.facts.length; at += factsMax) {
      const input = { facts: archive.facts.slice(at, at + factsMax) };
      const recorded = await client.call(catalogRpc.record, { input, context: context() });
      last_seq = Math.max(last_seq, recorded.last_seq);
    }
    const rows = await storeRows(client, archive.rows);
    await client.call(catalogRpc.awaitReadable, { input: { seq: last_seq }, context: context() });
    return { markets: archive.facts.filter(({ kind }) => kind === 'market').length, rows };
  } finally {
    await bus.close();
  }
};

const context = () => ({ requestId: randomUUID() });

const storeRows = async (client: RpcClient, rows: Iterable<GeneratedRow>): Promise<number> => {
  let batch: GeneratedRow[] = [];
  let stored = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const input = { columns: 'l2' as const, markets: [...spansOf(batch).values()] };
    const body = Buffer.from(`${batch.map(rowText).join('\n')}\n`);
    stored += (await client.call(timeseriesRpc.store, { input, body, context: context() })).rows;
    batch = [];
  };
  for (const row of rows) {
    batch.push(row);
    if (batch.length === batchRows) await flush();
  }
  await flush();
  return stored;
};

interface Span {
  ticker: string;
  rows: number;
  min_us: number;
  max_us: number;
}

const spansOf = (batch: readonly GeneratedRow[]): Map<string, Span> => {
  const spans = new Map<string, Span>();
  for (const { ticker, second } of batch) {
    const us = Math.round(second * 1e6);
    const span = spans.get(ticker) ?? { ticker, rows: 0, min_us: us, max_us: us };
    span.rows += 1;
    span.min_us = Math.min(span.min_us, us);
    span.max_us = Math.max(span.max_us, us);
    spans.set(ticker, span);
  }
  return spans;
};
