import { startClickHouse, type ClickHouseOptions } from './clickhouse.js';
import { startNats, type NatsOptions, type RunningServer } from './nats.js';
import { startRedis, type RedisOptions } from './redis.js';
import { startS3, type S3Options } from './s3.js';

/** Starts the four servers: as programs on this machine, or as containers for tests. */
export interface ServerStarters {
  nats(options: NatsOptions): Promise<RunningServer>;
  redis(options: RedisOptions): Promise<RunningServer>;
  /** `cluster`: its tables are those of a cluster. */
  clickhouse(options: ClickHouseOptions): Promise<RunningServer & { readonly cluster?: string | undefined }>;
  s3(options: S3Options): Promise<RunningServer>;
}

export const localServers: ServerStarters = {
  nats: startNats,
  redis: startRedis,
  clickhouse: startClickHouse,
  s3: startS3,
};
