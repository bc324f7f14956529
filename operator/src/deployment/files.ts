import { natsAccounts } from '@almanac/bus';
import { natsAccountsBlock, redisUserLines } from '@almanac/local-servers';
import { objectStorePolicy, type Policy, slabsPolicy } from '@almanac/object-store';
import { redisRulesOf, redisUserNames } from '@almanac/redis';
import { serviceFiles } from './service-files.js';
import { bucket } from '../infrastructure.js';
import { partitionsIn } from '../partitions.js';
import { clickHouseUsersFile } from './clickhouse-users.js';

/** Generated files by their path in the repository. */
export const deploymentFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['deploy/nats/users.conf', natsUsersFile()],
    ['deploy/clickhouse/users.d/almanac.xml', clickHouseUsersFile({ isCluster: false })],
    ['deploy/clickhouse/cluster/users.d/almanac.xml', clickHouseUsersFile({ isCluster: true })],
    ['deploy/redis/start.sh', redisStartFile()],
    ['deploy/s3/policy.json', policyFile(objectStorePolicy(bucket))],
    ['deploy/s3/slabs-policy.json', policyFile(slabsPolicy(bucket))],
    ...serviceFiles(),
  ]);

const policyFile = (policy: Policy): string => `${JSON.stringify(policy, undefined, 2)}\n`;

const natsHeading = `# Made by \`npm run deploy:make\` from libs/bus/src/rights/rights.ts; do not edit.
# Passwords come from the environment. nats-server reads such a value as configuration: letters only, since one like
# 12e4 is no text to it, and with an empty one a user needs no password.
`;

/** nats-server's accounts: every user with exactly its subjects, and every stream out of reach of the others. */
const natsUsersFile = (): string => {
  const block = natsAccountsBlock(
    natsAccounts((user) => `NATS_PASSWORD_${user.toUpperCase()}`, {}, partitionsIn(process.env).partitions),
  );
  const json = JSON.stringify(block, undefined, 2);
  // nats-server resolves a variable only without quotes, which JSON cannot express.
  return `${natsHeading}${json.slice(2, -2).replaceAll(/"password": "(\w+)"/g, '"password": $$$1')}\n`;
};

const redisHeading = `#!/bin/sh
# Made by \`npm run deploy:make\` from libs/redis/src/rights.ts; do not edit.
# Redis 7 or Valkey 8 with every user at exactly its keys, and nobody without a login. A configuration of Redis reads no
# variables: the passwords, letters only, come from the environment here, and stand in no file and no argument.
# It holds only what may be lost, so nothing is written to disk. Arguments go to redis-server.
set -eu
`;

/** The script that starts Redis in compose and in a trial cluster. */
const redisStartFile = (): string => {
  const users = redisUserNames.map((user) => ({
    user,
    password: `\${REDIS_PASSWORD_${user.toUpperCase()}:?}`,
    rules: redisRulesOf(user),
  }));
  const settings = ['save ""', 'appendonly no', 'maxmemory 256mb', 'maxmemory-policy allkeys-lru'];
  const configuration = [...settings, ...redisUserLines(users)].join('\n');
  return `${redisHeading}exec redis-server - "$@" <<END\n${configuration}\nEND\n`;
};
