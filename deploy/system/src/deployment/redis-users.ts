import { redisUserLines } from '@almanac/local';
import { redisRulesOf, redisUserNames } from '@almanac/redis';

export const redisPasswordVariable = (user: string): string => `REDIS_PASSWORD_${user.toUpperCase()}`;

const heading = `#!/bin/sh
# Made by \`npm run deploy:make\` from libs/redis/src/rights.ts; do not edit.
# Redis 7 or Valkey 8 with every user at exactly its keys, and nobody without a login. A configuration of Redis reads no
# variables: the passwords, letters only, come from the environment here, and stand in no file and no argument.
# It holds only what may be lost, so nothing is written to disk. Arguments go to redis-server.
set -eu
`;

/** The script that starts Redis in compose and in a trial cluster. */
export const redisStartFile = (): string => {
  const users = redisUserNames.map((user) => ({
    user,
    password: `\${${redisPasswordVariable(user)}:?}`,
    rules: redisRulesOf(user),
  }));
  const settings = ['save ""', 'appendonly no', 'maxmemory 256mb', 'maxmemory-policy allkeys-lru'];
  const configuration = [...settings, ...redisUserLines(users)].join('\n');
  return `${heading}exec redis-server - "$@" <<END\n${configuration}\nEND\n`;
};
