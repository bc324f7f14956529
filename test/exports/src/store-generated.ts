import { randomUUID } from 'node:crypto';
import { connectBus, rpcClient, type RpcClient } from '@almanac/bus';
import { catalogRpc, timeseriesRpc } from '@almanac/contracts';
import type { System } from '@almanac/operator';
import {
  candleUs,
  facts,
  type GeneratedCandle,
  generatedCandles,
  generatedRows,
  type GeneratedRow,
  series,
} from './generated-archive.js';

const batchRows = 1_000;
const context = () => ({ requestId: randomUUID() });

/** Stores the generated archive in a running system as an import does, in batches that become separate parts. */
export const storeMade = async ({ infrastructure, secrets }: System): Promise<void> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const rpc = rpcClient(bus);
    const input = { facts: [...facts] };
    const { last_seq: seq } = await rpc.call(catalogRpc.record, { input, context: context() });
    const rows = generatedRows();
    for (let at = 0; at < rows.length; at += batchRows)
      await storeBatch(rpc, 'l2', rows.slice(at, at + batchRows), { timeOf: ({ us }) => us, textOf: rowText });
    await storeBatch(rpc, 'candles', generatedCandles(), { timeOf: ({ startUs }) => startUs, textOf: candleText });
    await rpc.call(catalogRpc.awaitReadable, { input: { seq }, context: context() });
  } finally {
    await bus.close();
  }
};

const storeBatch = async <Row extends { readonly ticker: string }>(
  rpc: RpcClient,
  columns: 'l2' | 'candles',
  rows: readonly Row[],
  { timeOf, textOf }: { readonly timeOf: (row: Row) => number; readonly textOf: (row: Row) => string },
): Promise<void> => {
  const markets = [...Map.groupBy(rows, ({ ticker }) => ticker)].map(([ticker, own]) => {
    const all = own.map(timeOf);
    return { ticker, rows: own.length, min_us: Math.min(...all), max_us: Math.max(...all) };
  });
  const body = Buffer.from(rows.map(textOf).join(''));
  await rpc.call(timeseriesRpc.store, { input: { columns, markets }, body, context: context() });
};

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
const orNull = (text: string | null): string => text ?? '\\N';
const seconds = (us: number | null): string | null =>
  us === null ? null : `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;
const side = (levels: readonly (readonly [string, string])[]): string =>
  `[${levels.map((level) => `(${level.join(',')})`).join(',')}]`;

const rowText = ({ ticker, us, venueUs, seq, bid, ask, coin, books }: GeneratedRow): string => {
  const [yes, no] = books ?? [[], []];
  const named = [escaped(ticker), escaped(series), seconds(us)];
  const cells = [...named, seconds(venueUs), seq, bid, ask, coin, String(books !== null), side(yes), side(no), null];
  return `${cells.map(orNull).join('\t')}\n`;
};

const candleText = ({ ticker, startUs, values }: GeneratedCandle): string => {
  const times = [startUs, startUs + candleUs, startUs + candleUs].map(seconds);
  const cells = [escaped(ticker), escaped(series), 'kalshi', String(candleUs / 1e6), ...times, ...values];
  return `${cells.map(orNull).join('\t')}\n`;
};
