import { connectBus } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { connectClickHouse, insertBytes, migrate } from '@almanac/clickhouse';
import {
  bookColumns,
  catalogRpc,
  coinPriceColumns,
  type DomainError,
  type FeedIds,
  observationColumns,
  sizeColumns,
  timeseriesRpc,
  tradeColumns,
  venueCandleColumns,
} from '@almanac/contracts';
import { testClickHouse, testNats } from '@almanac/testing';

const columnsOf = {
  top: observationColumns,
  top_sizes: [...observationColumns, ...sizeColumns],
  l2: [...observationColumns, ...bookColumns],
  trades: tradeColumns,
  candles: venueCandleColumns,
  coins: coinPriceColumns,
};
const tableOf = {
  trades: 'trades',
  candles: 'venue_candles',
  coins: 'coin_prices',
  top: 'snapshots',
  top_sizes: 'snapshots',
  l2: 'snapshots',
};

const contracts = {
  store: timeseriesRpc.store,
  record: catalogRpc.record,
  awaitReadable: catalogRpc.awaitReadable,
  marketsByFeedIds: catalogRpc.marketsByFeedIds,
  coins: timeseriesRpc.coins,
  valuesOfParents: catalogRpc.valuesOfParents,
};

/** NATS with the receiving side of an import, and the real tables behind it. */
export const receivingArchive = async () => {
  const [nats, server] = await Promise.all([testNats(), testClickHouse()]);
  const clickhouse = connectClickHouse({ url: server.url, username: server.username, password: server.password });
  await migrate(clickhouse);
  /** `refusals` are what the next calls get. While `stuck` is set, catalogue calls have no answer until it resolves. */
  const state = {
    refusals: [] as DomainError[],
    awaited: [] as number[],
    lookups: [] as string[][],
    /** What every lookup of markets finds. */
    markets: [] as { ticker: string; ids: FeedIds }[],
    recorded: [] as string[],
    stuck: null as Promise<void> | null,
  };
  const answerOrRefuse = (): void => {
    const refusal = state.refusals.shift();
    if (refusal) throw refusal;
  };

  const handlers: Handlers<typeof contracts> = {
    store: async ({ columns, markets }, { body }) => {
      answerOrRefuse();
      const rows = {
        table: tableOf[columns],
        columns: columnsOf[columns],
        format: 'TabSeparated' as const,
        body: Buffer.from(body),
      };
      if (markets.length > 0) await insertBytes(clickhouse, rows);
      return { rows: markets.reduce((sum, market) => sum + market.rows, 0) };
    },
    record: async ({ facts }) => {
      answerOrRefuse();
      await state.stuck;
      state.recorded.push(...facts.map((fact) => (fact.kind === 'market' ? fact.ticker : fact.kind)));
      return { outcomes: facts.map(() => ({ outcome: 'created' as const })), last_seq: 7 };
    },
    marketsByFeedIds: ({ ids }) => {
      state.lookups.push(ids);
      return { markets: state.markets };
    },
    coins: () => ({ coins: [] }),
    valuesOfParents: () => ({ markets: [], next: null }),
    awaitReadable: ({ seq }) => {
      state.awaited.push(seq);
      return { seq };
    },
  };

  const bus = await connectBus({ url: nats.url, user: 'timeseries' });
  const quiet = { error: () => undefined, warn: () => undefined, debug: () => undefined };
  const calls = await serveContracts(bus, contracts, handlers, quiet);
  const stop = async (): Promise<void> => {
    await calls.stop();
    await bus.close();
    await clickhouse.close();
    await Promise.all([nats.stop(), server.stop()]);
  };
  return { nats, clickhouse, state, stop };
};
