export { startClickHouse, type ClickHouseOptions, type ClickHouseUser, type RunningClickHouse } from './clickhouse.js';
export { clickHouseGrants } from './clickhouse/access.js';
export { findBinary } from './binaries.js';
export { LocalServerError, PortTakenError } from './errors.js';
export { ignoreOutputErrors } from './ignore-output-errors.js';
export {
  acceptsNatsClients,
  natsAccountsBlock,
  natsAuthorization,
  startNats,
  type NatsAccount,
  type NatsOptions,
  type NatsTls,
  type NatsUser,
  type RunningServer,
} from './nats.js';
export { freePort, onPort } from './ports.js';
export { startProcess, type ProcessOptions, type RunningProcess } from './process.js';
export { redisUserLines, startRedis, type RedisOptions, type RedisUser } from './redis.js';
export { startS3, type RunningS3, type S3Options } from './s3.js';
export type { S3Credentials } from './s3/signature.js';
export { localServers, type ServerStarters } from './servers.js';
