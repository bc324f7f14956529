import { randomUUID } from 'node:crypto';
import { connectBus, rpcClient, type RpcClient } from '@almanac/bus';
import { catalogRpc, timeseriesRpc, venueCandlePrices } from '@almanac/contracts';
import type { System } from '@almanac/operator';
import { candleUs, type RandomSeries } from './random-series.js';

const context = () => ({ requestId: randomUUID() });

/** Stores random series in a running system as an import does. */
export const storeSeries = async (
  { infrastructure, secrets }: System,
  archive: readonly RandomSeries[],
): Promise<void> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const rpc = rpcClient(bus);
    const input = { facts: archive.flatMap(({ facts }) => facts) };
    const { last_seq: seq } = await rpc.call(catalogRpc.record, { input, context: context() });
    for (const { series, observations, trades, candles } of archive) {
      await store(rpc, { series, columns: 'top', rows: observations, line: observationOf });
      await store(rpc, { series, columns: 'trades', rows: trades, line: tradeOf });
      await store(rpc, { series, columns: 'candles', rows: candles, line: candleOf });
    }
    await rpc.call(catalogRpc.awaitReadable, { input: { seq }, context: context() });
  } finally {
    await bus.close();
  }
};

type Row = RandomSeries['trades'][number];

interface Stored {
  readonly series: string;
  readonly columns: 'top' | 'trades' | 'candles';
  readonly rows: readonly Row[];
  readonly line: (row: Row, series: string) => readonly string[];
}

const store = async (rpc: RpcClient, { series, columns, rows, line }: Stored): Promise<void> => {
  const markets = [...Map.groupBy(rows, ({ ticker }) => ticker)].map(([ticker, own]) => {
    const times = own.map(({ us }) => us);
    return { ticker, rows: own.length, min_us: Math.min(...times), max_us: Math.max(...times) };
  });
  if (markets.length === 0) return;
  const body = Buffer.from(rows.map((row) => `${line(row, series).join('\t')}\n`).join(''));
  await rpc.call(timeseriesRpc.store, { input: { columns, markets }, body, context: context() });
};

const absent = String.raw`\N`;
const seconds = (us: number): string => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;

const observationOf = ({ ticker, us }: Row, series: string): string[] =>
  [ticker, series, seconds(us), absent, absent].concat(['0.4', '0.5', absent]);

const tradeOf = ({ ticker, us }: Row, series: string): string[] =>
  [ticker, series, `${ticker} ${us}`, seconds(us), absent].concat(['0.5', '1', 'yes']);

const candleOf = ({ ticker, us }: Row, series: string): string[] =>
  [ticker, series, 'kalshi', String(candleUs / 1e6), seconds(us), seconds(us + candleUs), seconds(us)].concat(
    venueCandlePrices.map(() => '0.5'),
    ['1', absent],
  );
