export { startClickHouse, type ClickHouseOptions, type ClickHouseUser, type RunningClickHouse } from './clickhouse.js';
export { findBinary } from './binaries.js';
export { LocalServerError, PortTakenError } from './errors.js';
export { startNats, type NatsOptions, type NatsUser, type RunningServer } from './nats.js';
export { freePort, onPort } from './ports.js';
export { startProcess, type ProcessOptions, type RunningProcess } from './process.js';
export { startRedis, type RedisOptions } from './redis.js';
export { startS3, type RunningS3, type S3Options } from './s3.js';
