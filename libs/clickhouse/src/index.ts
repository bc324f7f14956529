export { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
export { connectClickHouse, type ClickHouse, type ClickHouseOptions } from './connect.js';
export { migrate, MigrationError } from './migrate.js';
export {
  bytes,
  command,
  insertBytes,
  QueryTimeoutError,
  rows,
  stream,
  type BytesInsert,
  type Query,
  type RowSchema,
  type StreamOptions,
} from './query.js';
export { clickHouseRights, type ClickHouseService } from './rights.js';
