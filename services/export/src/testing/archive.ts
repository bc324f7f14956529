import { randomUUID } from 'node:crypto';
import { type ClickHouse, clickHouseRights, connectClickHouse, insertBytes, migrate } from '@almanac/clickhouse';
import { testClickHouse, type TestClickHouse } from '@almanac/testing';

/** ClickHouse with its tables, for tests that read only the archive. */
export interface Archive<Server extends TestClickHouse = TestClickHouse> {
  readonly server: Server;
  /** May change the schema and insert. */
  readonly operator: ClickHouse;
  /** The export service's own user. */
  readonly clickhouse: ClickHouse;
  readonly environment: Readonly<
    Record<'CLICKHOUSE_URL' | 'CLICKHOUSE_CLUSTER' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD', string>
  >;
  stop(): Promise<void>;
}

type StartClickHouse<Server> = (options: Parameters<typeof testClickHouse>[0]) => Promise<Server>;

export const startArchive = (): Promise<Archive> => startArchiveOn(testClickHouse);

export const startArchiveOn = async <Server extends TestClickHouse>(
  start: StartClickHouse<Server>,
): Promise<Archive<Server>> => {
  const own = { user: 'export', password: randomUUID() };
  const server = await start({ users: [{ ...own, tables: clickHouseRights.export }] });
  const { url, cluster } = server;
  const operator = connectClickHouse({ url, cluster, username: server.username, password: server.password });
  await migrate(operator);
  const clickhouse = connectClickHouse({ url, cluster, username: own.user, password: own.password });
  return {
    server,
    operator,
    clickhouse,
    environment: {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_CLUSTER: cluster ?? '',
      CLICKHOUSE_USER: own.user,
      CLICKHOUSE_PASSWORD: own.password,
    },
    stop: async () => {
      await Promise.all([operator.close(), clickhouse.close()]);
      await server.stop();
    },
  };
};

export interface MarketRow {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly series: string;
  readonly [column: string]: unknown;
}

type Rows = readonly Readonly<Record<string, unknown>>[];
type Operator = Pick<Archive, 'operator'>;

export const storeMarkets = (archive: Operator, markets: readonly MarketRow[]): Promise<void> =>
  storeIn('markets', archive, markets);

export const storeObservations = (archive: Operator, rows: Rows): Promise<void> => storeIn('snapshots', archive, rows);

export const storeTrades = (archive: Operator, trades: Rows): Promise<void> => storeIn('trades', archive, trades);

export const storeCandles = (archive: Operator, candles: Rows): Promise<void> =>
  storeIn('venue_candles', archive, candles);

export const storeSpans = (archive: Operator, spans: Rows): Promise<void> => storeIn('recorded_spans', archive, spans);

const storeIn = async (table: string, { operator }: Operator, rows: Rows): Promise<void> => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(operator, { table, columns, format: 'JSONEachRow', body });
};
