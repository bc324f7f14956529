import { connectBus, rpcClient } from '@almanac/bus';
import { type Archive, batchBuilder, batchedMarket, busArchive } from '@almanac/ingest';
import type { System } from '../system.js';
import { generateArchive, type GeneratedArchive } from './generate.js';
import { bookOf, type GeneratedRow, observationOf } from './row.js';

const factsMax = 500;

/** A running system, or only its NATS. */
interface Target {
  readonly infrastructure: Pick<System['infrastructure'], 'natsUrl'>;
  readonly secrets: { readonly nats: Pick<System['secrets']['nats'], 'ingest'> };
}

export const storeGeneratedArchive = (system: Target, nowS: number): Promise<{ markets: number; rows: number }> =>
  storeArchive(system, generateArchive(nowS));

/** Stores an archive in a running system as an import does. Returns the counts. */
export const storeArchive = async (
  { infrastructure, secrets }: Target,
  { facts, rows, spans = [] }: GeneratedArchive,
): Promise<{ markets: number; rows: number }> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const archive = busArchive(rpcClient(bus));
    for (let at = 0; at < facts.length; at += factsMax) await archive.recordCatalogue(facts.slice(at, at + factsMax));
    const stored = await storeRows(archive, rows);
    if (spans.length > 0) await archive.storeSpans(spans);
    await archive.settled();
    return { markets: facts.filter(({ kind }) => kind === 'market').length, rows: stored };
  } finally {
    await bus.close();
  }
};

const storeRows = async (archive: Archive, rows: Iterable<GeneratedRow>): Promise<number> => {
  const markets = new Map<string, ReturnType<typeof batchedMarket>>();
  const batches = batchBuilder('l2');
  let stored = 0;
  const flush = async (): Promise<void> => {
    const batch = batches.take();
    if (batch === null) return;
    await archive.storeObservations(batch);
    stored += batch.rows;
  };
  for (const row of rows) {
    const market = markets.get(row.ticker) ?? batchedMarket(row.ticker, row.series);
    markets.set(row.ticker, market);
    if (batches.add(market, observationOf(row), bookOf(row))) await flush();
  }
  await flush();
  return stored;
};
