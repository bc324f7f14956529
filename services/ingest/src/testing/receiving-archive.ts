import { connectBus } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { randomUUID } from 'node:crypto';
import { type ClickHouse, command, connectClickHouse, insertBytes, migrate, rows } from '@almanac/clickhouse';
import {
  bookColumns,
  catalogRpc,
  coinPriceColumns,
  type DomainError,
  type FeedIds,
  observationColumns,
  sizeFields,
  stagedTableOf,
  timeseriesRpc,
  tradeColumns,
  venueCandleColumns,
} from '@almanac/contracts';
import { testClickHouse, testNats } from '@almanac/testing';
import { z } from 'zod';

const columnsOf = {
  top: observationColumns,
  top_sizes: [...observationColumns, ...sizeFields],
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
  openStaging: timeseriesRpc.openStaging,
  storeStaged: timeseriesRpc.storeStaged,
  publishStaging: timeseriesRpc.publishStaging,
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
    /** Rows that came by a staging table. */
    staged: 0,
    stuck: null as Promise<void> | null,
  };
  const answerOrRefuse = (): void => {
    const refusal = state.refusals.shift();
    if (refusal) throw refusal;
  };

  const handlers: Handlers<typeof contracts> = {
    store: async ({ columns, markets }, { body }) => {
      answerOrRefuse();
      const batch = {
        table: tableOf[columns],
        columns: columnsOf[columns],
        format: 'TabSeparated' as const,
        body: Buffer.from(body),
      };
      if (markets.length > 0) await insertBytes(clickhouse, batch);
      return { rows: markets.reduce((sum, market) => sum + market.rows, 0) };
    },
    ...stagingHandlers(clickhouse, answerOrRefuse, (count) => (state.staged += count)),
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

type StagingContracts = Pick<typeof contracts, 'openStaging' | 'storeStaged' | 'publishStaging'>;

const stagingHandlers = (
  clickhouse: ClickHouse,
  answerOrRefuse: () => void,
  onRows: (count: number) => void,
): Handlers<StagingContracts> => ({
  openStaging: async ({ table }) => {
    answerOrRefuse();
    const staging = `1700000000_${randomUUID().replaceAll('-', '')}${table === 'trades' ? '_trades' : ''}`;
    await command(clickhouse, { sql: `CREATE TABLE stage_${staging} AS ${table}` });
    return { staging, missing: null, has_books: true, has_zstd: true };
  },
  storeStaged: async ({ staging, columns, rows: count, coding }, { body }) => {
    answerOrRefuse();
    await insertBytes(clickhouse, {
      table: `stage_${staging}`,
      columns: columnsOf[columns],
      format: 'Native',
      body: Buffer.from(body),
      coding,
    });
    onRows(count);
    return { rows: count };
  },
  publishStaging: async ({ staging }) => {
    answerOrRefuse();
    const sql = `SELECT DISTINCT _partition_id AS id FROM stage_${staging}`;
    for (const { id } of await rows(clickhouse, { sql }, z.object({ id: z.string() })))
      await command(clickhouse, {
        sql: `ALTER TABLE stage_${staging} MOVE PARTITION ID '${id}' TO TABLE ${stagedTableOf(staging)}`,
      });
    await command(clickhouse, { sql: `DROP TABLE stage_${staging}` });
    return { markets: 1 };
  },
});
