import { connectBus, rpcClient } from '@almanac/bus';
import { type Archive, batchBuilder, batchedMarket, busArchive, tradeBatchBuilder } from '@almanac/ingest';
import type { System } from '../system.js';
import { generateArchive, type GeneratedArchive } from './generate.js';
import { bookOf, type GeneratedRow, observationOf, tradeOf } from './row.js';

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
  { facts, rows, tradesEveryS, spans = [] }: GeneratedArchive,
): Promise<{ markets: number; rows: number }> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const archive = busArchive(rpcClient(bus));
    for (let at = 0; at < facts.length; at += factsMax) await archive.recordCatalogue(facts.slice(at, at + factsMax));
    const stored = await storeRows(archive, rows, tradesEveryS ?? null);
    if (spans.length > 0) await archive.storeSpans(spans);
    await archive.settled();
    return { markets: facts.filter(({ kind }) => kind === 'market').length, rows: stored };
  } finally {
    await bus.close();
  }
};

const storeRows = async (
  archive: Archive,
  rows: Iterable<GeneratedRow>,
  tradesEveryS: number | null,
): Promise<number> => {
  const markets = new Map<string, ReturnType<typeof batchedMarket>>();
  const batches = { rows: batchBuilder('l2'), trades: tradeBatchBuilder() };
  const totals = new Map<string, { n: number; volume: number }>();
  let stored = 0;
  const flush = async (of: keyof typeof batches): Promise<void> => {
    const batch = batches[of].take();
    if (batch === null) return;
    await archive.storeObservations(batch);
    if (of === 'rows') stored += batch.rows;
  };
  for (const row of rows) {
    const market = markets.get(row.ticker) ?? batchedMarket(row.ticker, row.series);
    markets.set(row.ticker, market);
    if (batches.rows.add(market, observationOf(row), bookOf(row))) await flush('rows');
    const trade = tradesEveryS === null ? null : tradeOf(row, tradesEveryS);
    if (trade === null) continue;
    const before = totals.get(row.ticker);
    totals.set(row.ticker, { n: (before?.n ?? 0) + 1, volume: (before?.volume ?? 0) + Number(trade.size) });
    if (batches.trades.add(market, trade)) await flush('trades');
  }
  await flush('rows');
  await flush('trades');
  await recordTotals(archive, totals);
  return stored;
};

/** The service records the same some time later. Then nothing changes any more after the archive is stored. */
const recordTotals = async (
  archive: Archive,
  totals: ReadonlyMap<string, { readonly n: number; readonly volume: number }>,
): Promise<void> => {
  const facts = Array.from(totals, ([ticker, { n, volume }]) => {
    return { kind: 'market' as const, ticker, trades: { n, volume: String(volume) } };
  });
  for (let at = 0; at < facts.length; at += factsMax) await archive.recordCatalogue(facts.slice(at, at + factsMax));
};
