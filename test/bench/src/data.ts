import { randomUUID } from 'node:crypto';
import { connectBus, rpcClient, type RpcClient } from '@almanac/bus';
import { type ClickHouse, command } from '@almanac/clickhouse';
import { type CatalogueFact, catalogRpc, timeseriesRpc } from '@almanac/contracts';
import type { System } from '@almanac/operator';

/** Markets of equal length, all open at the same time, with a row a second. */
export interface Shape {
  readonly series: string;
  /** The prefix of tickers and events of the series. */
  readonly start: string;
  readonly marketsN: number;
  readonly secondsN: number;
  readonly openS: number;
  readonly marketsAnEvent: number;
}

/** With the fact of the series, a batch has one more. */
const factsMax = 499;
const chunkRows = 900_000;

/** The digits of a market's number, at least four. */
const digitsOf = ({ marketsN }: Shape): number => Math.max(4, String(marketsN - 1).length);

export const tickerOf = (market: number, shape: Shape): string =>
  `${shape.start}-M${String(market).padStart(digitsOf(shape), '0')}`;
export const eventOf = (market: number, { start, marketsAnEvent }: Shape): string =>
  `${start}-E${String(Math.floor(market / marketsAnEvent)).padStart(2, '0')}`;
export const dayOf = ({ openS }: Shape): string => new Date(openS * 1_000).toISOString().slice(0, 10);

/** Markets of a shape from one number up to and without another. */
export interface MarketRange {
  readonly from: number;
  readonly to: number;
}

/** Prices by market and second, without random numbers: SQL and this file must produce the same ones. */
const bidCents = (market: number, second: number): number => 1 + ((market * 31 + second * 7) % 97);
const coinCents = (market: number, second: number): number => 6_500_000 + ((market * 13 + second * 11) % 100_000);

const created = new Map<System, Map<Shape, Promise<void>>>();

/** Creates the markets before the first row that needs them. Other rows do not wait for it. */
export const makeOnce = ({ system, admin }: { system: System; admin: ClickHouse }, shape: Shape): Promise<void> => {
  const ofSystem = created.get(system) ?? new Map<Shape, Promise<void>>();
  created.set(system, ofSystem);
  const making = ofSystem.get(shape) ?? makeArchive(system, admin, shape);
  ofSystem.set(shape, making);
  return making;
};

/** Creates all markets of a shape, and merges the rows: merges during a run would slow one side. */
const makeArchive = async (system: System, admin: ClickHouse, shape: Shape): Promise<void> => {
  await addMarkets(system, admin, shape, { from: 0, to: shape.marketsN });
  await mergeRows(admin);
};

const mergeRows = (admin: ClickHouse): Promise<void> => command(admin, { sql: 'OPTIMIZE TABLE snapshots FINAL' });

/** Creates markets: the catalogue and data versions through the services, the rows inside ClickHouse. */
export const addMarkets = async (
  system: System,
  admin: ClickHouse,
  shape: Shape,
  range: MarketRange,
): Promise<void> => {
  await announceMarkets(system, shape, range);
  await insertMarkets(admin, shape, range);
};

/** Creates markets whose rows are stored before anything is announced, so that what is prepared ahead has all rows. */
export const makeSettledMarkets = async (system: System, admin: ClickHouse, shape: Shape): Promise<void> => {
  const all = { from: 0, to: shape.marketsN };
  await insertMarkets(admin, shape, all);
  await mergeRows(admin);
  await announceMarkets(system, shape, all);
};

const announceMarkets = async (
  { infrastructure, secrets }: System,
  shape: Shape,
  range: MarketRange,
): Promise<void> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
  try {
    const rpc = rpcClient(bus);
    let seq = 0;
    for (const some of rangesIn(range, factsMax)) {
      seq = await recordCatalogue(rpc, shape, some);
      await storeEnds(rpc, shape, some);
    }
    await rpc.call(catalogRpc.awaitReadable, { input: { seq }, context: context() });
  } finally {
    await bus.close();
  }
};

const insertMarkets = async (admin: ClickHouse, shape: Shape, range: MarketRange): Promise<void> => {
  const marketsN = Math.max(1, Math.floor(chunkRows / shape.secondsN));
  for (const some of rangesIn(range, marketsN)) await insertRows(admin, shape, some);
};

function* rangesIn({ from, to }: MarketRange, marketsN: number): Generator<MarketRange> {
  for (let at = from; at < to; at += marketsN) yield { from: at, to: Math.min(at + marketsN, to) };
}

const marketsIn = ({ from, to }: MarketRange): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const context = () => ({ requestId: randomUUID() });

const category = { category: 'bench', category_label: 'Bench' };

/** Returns the position of the last fact. */
const recordCatalogue = async (rpc: RpcClient, shape: Shape, range: MarketRange): Promise<number> => {
  const series: CatalogueFact = { kind: 'series', id: shape.series, label: 'Bench', ...category };
  const markets = marketsIn(range).map((market) => factOf(market, shape));
  const facts = range.from === 0 ? [series, ...markets] : markets;
  return (await rpc.call(catalogRpc.record, { input: { facts }, context: context() })).last_seq;
};

const factOf = (market: number, shape: Shape): CatalogueFact => {
  const { series, openS: startS } = shape;
  const closeS = startS + shape.secondsN;
  const title = `Bench: price up in hour ${market}?`;
  const times = { open_us: startS * 1e6, close_us: closeS * 1e6, settlement_us: (closeS + 10) * 1e6 };
  const prices = { coin_price_start: '65000.5', coin_price_end: '65123.25', expiration_value: '65123.25' };
  const strike = { strike_type: 'greater_or_equal', floor_strike: '65000.5', result: 'yes' };
  const names = { ticker: tickerOf(market, shape), series, event_ticker: eventOf(market, shape), title };
  // Without a knowledge time, a market would not exist in the past.
  const known = { title, open_us: String(times.open_us), close_us: String(times.close_us), floor_strike: '65000.5' };
  const history = [{ known_us: times.open_us, basis: 'venue' as const, values: known }];
  return { kind: 'market', capture: 'top', ...names, ...category, ...times, ...prices, ...strike, history };
};

/** Stores the first and the last row of each market, so that the archive states contain their span. */
const storeEnds = async (rpc: RpcClient, shape: Shape, range: MarketRange): Promise<void> => {
  const last = shape.secondsN - 1;
  const rows = marketsIn(range).flatMap((market) => [0, last].map((second) => rowText(shape, market, second)));
  const span = { rows: 2, min_us: shape.openS * 1e6, max_us: (shape.openS + last) * 1e6 };
  const markets = marketsIn(range).map((market) => ({ ticker: tickerOf(market, shape), ...span }));
  const body = Buffer.from(rows.join(''));
  await rpc.call(timeseriesRpc.store, { input: { markets }, body, context: context() });
};

const rowText = (shape: Shape, market: number, second: number): string => {
  const bid = bidCents(market, second);
  const prices = [bid / 100, (bid + 1) / 100, coinCents(market, second) / 100];
  const names = [tickerOf(market, shape), shape.series, `${shape.openS + second}.000000`];
  return `${[...names, '\\N', second + 1, ...prices].join('\t')}\n`;
};

const insertRows = (admin: ClickHouse, shape: Shape, { from, to }: MarketRange): Promise<void> =>
  command(admin, {
    sql: `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, yes_best_ask, coin_price)
      WITH intDiv(number, ${shape.secondsN}) AS market, number % ${shape.secondsN} AS second,
        toDecimal64(1 + (market * 31 + second * 7) % 97, 6) / 100 AS bid
      SELECT concat('${shape.start}-M', leftPad(toString(market), ${digitsOf(shape)}, '0')), '${shape.series}',
        fromUnixTimestamp64Micro(toInt64(${shape.openS} + second) * 1000000), second + 1, bid,
        bid + toDecimal64(0.01, 6), toDecimal64(6500000 + (market * 13 + second * 11) % 100000, 8) / 100
      FROM numbers(${from * shape.secondsN}, ${(to - from) * shape.secondsN})`,
  });
