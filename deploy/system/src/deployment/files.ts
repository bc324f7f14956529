import { clickHouseUsersFile } from './clickhouse-users.js';
import { natsUsersFile } from './nats-users.js';
import { redisStartFile } from './redis-users.js';
import { s3PolicyFile } from './s3-policy.js';

/** Generated files by their path in the repository. */
export const deploymentFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['deploy/nats/users.conf', natsUsersFile()],
    ['deploy/clickhouse/users.d/almanac.xml', clickHouseUsersFile()],
    ['deploy/redis/start.sh', redisStartFile()],
    ['deploy/s3/policy.json', s3PolicyFile()],
  ]);
