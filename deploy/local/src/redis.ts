import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from './ask.js';
import { findBinary } from './binaries.js';
import { LocalServerError, PortTakenError } from './errors.js';
import type { RunningServer } from './nats.js';
import { onPort } from './ports.js';
import { startProcess } from './process.js';

export interface RedisOptions {
  /** Holds the configuration and the log; made when missing. */
  readonly dir: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Letters, digits, `-` and `_` only. */
  readonly password?: string;
}

/**
 * Starts redis-server on 127.0.0.1 without any persistence; resolves when it answers. `url` holds the password.
 * Throws a LocalServerError.
 */
export const startRedis = async (options: RedisOptions): Promise<RunningServer> => {
  if (options.password !== undefined && !/^[\w-]+$/.test(options.password)) {
    throw new LocalServerError('A local Redis password may hold letters, digits, `-` and `_` only.');
  }
  const command = await findBinary('redis-server');
  await mkdir(options.dir, { recursive: true });
  return onPort(options.port, 'redis-server', async (port) => startOn(port, command, options));
};

const startOn = async (port: number, command: string, options: RedisOptions): Promise<RunningServer> => {
  const { dir, password } = options;
  const configFile = join(dir, 'redis.conf');
  await writeFile(configFile, configuration(port, password), { mode: 0o600 });
  const login = password === undefined ? '' : `AUTH ${password}\r\n`;
  const child = await startProcess({
    name: 'redis-server',
    command,
    args: [configFile],
    // Redis keeps its folder as its working folder, so the path in its configuration needs no quoting.
    cwd: dir,
    logFile: join(dir, 'redis.log'),
    // Another server may have taken the port in between: it must be ours that answers.
    isReady: async (pid) =>
      (await ask(port, `${login}INFO server\r\nPING\r\n`, '+PONG')).includes(`process_id:${pid}\r\n`),
  }).catch((error: unknown) => {
    if (error instanceof Error && /address already in use/i.test(error.message)) {
      throw new PortTakenError(port, 'redis-server', { cause: error });
    }
    throw error;
  });
  const credentials = password === undefined ? '' : `:${password}@`;
  return { ...child, port, url: `redis://${credentials}127.0.0.1:${port}` };
};

/** It holds only what may be lost: when the memory is full the least used goes, and nothing is ever written to disk. */
const configuration = (port: number, password: string | undefined): string =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    'daemonize no',
    'save ""',
    'appendonly no',
    'maxmemory 256mb',
    'maxmemory-policy allkeys-lru',
    ...(password === undefined ? [] : [`requirepass ${password}`]),
    '',
  ].join('\n');
