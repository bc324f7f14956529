import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpRequest } from './tcp-request.js';
import { findBinary } from './binaries.js';
import { LocalServerError } from './errors.js';
import type { RunningServer } from './nats.js';
import { onPort } from './ports.js';
import { startProcess } from './process.js';
import { writeConfiguration } from './write-configuration.js';

/** A user and its rules, as `ACL SETUSER` takes them. */
export interface RedisUser {
  /** Name and password may have only letters, digits, `-` and `_`. */
  readonly user: string;
  readonly password: string;
  readonly rules: readonly string[];
}

export interface RedisOptions {
  /** Configuration and log, created if missing. */
  readonly dir: string;
  readonly port?: number;
  /** The first must be allowed PING and INFO. Without users, everybody who reaches the port may do everything. */
  readonly users?: readonly RedisUser[];
  /** Ends a start that has not finished. */
  readonly stopping?: AbortSignal | undefined;
}

/** Starts redis-server (7.0 or later) on 127.0.0.1 without persistence. Throws a LocalServerError. */
export const startRedis = async (options: RedisOptions): Promise<RunningServer> => {
  if (options.users?.some(({ user, password }) => ![user, password].every((word) => /^[\w-]+$/.test(word))) === true) {
    throw new LocalServerError(
      'The name and password of a local Redis user can have only letters, digits, `-` and `_`.',
    );
  }
  const command = await findBinary('redis-server');
  await mkdir(options.dir, { recursive: true });
  return onPort(options.port, 'redis-server', async (port) => startOn(port, command, options));
};

const startOn = async (port: number, command: string, options: RedisOptions): Promise<RunningServer> => {
  const { dir, users = [] } = options;
  const [first] = users;
  const configFile = join(dir, 'redis.conf');
  await writeConfiguration(configFile, configuration(port, users));
  const login = first === undefined ? '' : `AUTH ${first.user} ${first.password}\r\n`;
  const child = await startProcess({
    name: 'redis-server',
    command,
    args: [configFile],
    port,
    // Redis uses its folder as working folder, so the path needs no quoting in its configuration.
    cwd: dir,
    logFile: join(dir, 'redis.log'),
    stopping: options.stopping,
    // Another server may have taken the port meanwhile, so check that ours answers.
    isReady: async (pid) =>
      (await tcpRequest(port, `${login}INFO server\r\nPING\r\n`, '+PONG')).includes(`process_id:${pid}\r\n`),
  });
  return { ...child, port, url: `redis://127.0.0.1:${port}` };
};

/** Redis holds only data that may be lost: full memory evicts the least recently used, and nothing goes to disk. */
const configuration = (port: number, users: readonly RedisUser[]): string =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    'daemonize no',
    'save ""',
    'appendonly no',
    'maxmemory 256mb',
    'maxmemory-policy allkeys-lru',
    ...(users.length === 0 ? [] : redisUserLines(users)),
    '',
  ].join('\n');

/** Configuration lines that admit these users, and nobody without a login. */
export const redisUserLines = (users: readonly RedisUser[]): string[] => [
  'user default off resetpass resetkeys resetchannels -@all',
  ...users.map(({ user, password, rules }) => `user ${user} on >${password} ${rules.join(' ')}`),
];
