import { isSharded, localTableOf } from './cluster-sql.js';

const catalogue = ['series', 'events', 'markets', 'event_figures'];

/** Applied migrations, because a process waits for those it needs, and free disk space. */
const health = ['schema_migrations', 'system.disks'];

interface TableRights {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** A database with tables of its own, whose partitions it moves into those of `write`. */
  readonly staging?: string;
}

/** The database of rows that readers do not see yet. Only one server has it: a cluster moves no partition as a whole. */
export const stagingDatabase = 'staging';

/**
 * The complete rights of each user: SELECT on `read` and `write`, INSERT on `write`, for tables of the database
 * `default`. The local system, docker-compose.yml and Kubernetes all use this list.
 */
export const clickHouseRights = {
  catalog: {
    read: ['snapshots', 'trades', 'venue_candles', 'coin_prices', 'markets_by_close', ...health],
    write: [...catalogue, 'market_words'],
  },
  timeseries: {
    read: [...health],
    write: ['snapshots', 'trades', 'recorded_spans', 'venue_candles', 'coin_prices', 'unannounced_batches'],
    staging: stagingDatabase,
  },
  export: {
    read: ['snapshots', 'trades', 'venue_candles', 'recorded_spans', ...catalogue, ...health],
    write: ['exports'],
  },
} satisfies Readonly<Record<string, TableRights>>;

export type ClickHouseService = keyof typeof clickHouseRights;
export const clickHouseServices = Object.keys(clickHouseRights) as readonly ClickHouseService[];

/** The same on a cluster: a Distributed table is used only with the same right on the tables that store its rows. */
export const clickHouseRightsOnCluster = ({ read, write }: TableRights): TableRights => ({
  read: withLocalTables(read),
  write: withLocalTables(write),
});

const withLocalTables = (tables: readonly string[]): readonly string[] =>
  tables.flatMap((table) => (isSharded(table) ? [table, localTableOf(table)] : [table]));
