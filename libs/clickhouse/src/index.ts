export { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
export { withArrowMetadata } from './arrow-stream.js';
export { diskFault } from './checks.js';
export { coinPricesIn, isSoonAfter, marketsOfCoin } from './coin-sql.js';
export { clusterStatements, isSharded, localTableOf, onClusterClause, shardedTables } from './cluster-sql.js';
export { clickHouseFromConfig, clickHouseOptions, type ClickHouseConfig } from './connect-from-config.js';
export { connectClickHouse, type ClickHouse, type ClickHouseOptions } from './connect.js';
export { lastOpenTime, rowsInWindow, rowsKnown, rowTimes, wasOpen } from './day-pack-sql.js';
export { marketsAsOf } from './markets-as-of.js';
export { appliedMigrations, knownMigrations, migrate, MigrationError, migrationMsMax } from './migrate.js';
export { asBuffer, type FileParts, withParquetMetadata } from './parquet-stream.js';
export {
  bytes,
  command,
  insertBytes,
  insertSelect,
  QueryTimeoutError,
  rows,
  rowsInBackground,
  stream,
  type BytesInsert,
  type Query,
  type RowSchema,
  type StreamOptions,
} from './query.js';
export { isDiskFull, isServerError, orUnavailable } from './server-errors.js';
export {
  type RebuildLease,
  type RebuildLeaseOptions,
  RebuildRefusedError,
  acquireRebuildLease,
} from './rebuild-lease.js';
export { runRebuild } from './run-rebuild.js';
export { dropShadows, exchangeShadows, makeShadows, shadowOf } from './shadow-tables.js';
export {
  clickHouseRights,
  clickHouseRightsOnCluster,
  type ClickHouseService,
  clickHouseServices,
  stagingDatabase,
} from './rights.js';
