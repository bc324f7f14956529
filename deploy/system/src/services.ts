import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, LocalServerError, type RunningProcess, startProcess } from '@almanac/local';
import type { RedisUserName } from '@almanac/redis';
import { bucket, type Infrastructure } from './infrastructure.js';
import type { Secrets } from './secrets.js';

export const serviceProcesses = ['commerce', 'keys', 'catalog', 'timeseries', 'export', 'gateway'] as const;
export type ServiceProcess = (typeof serviceProcesses)[number];

export interface ServiceOptions {
  readonly service: ServiceProcess;
  /** Distinguishes several of one service, such as `gateway-2`. */
  readonly name: string;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborted when the system ends: what is not ready then is not waited for. */
  readonly stopping: AbortSignal;
}

/** What each service is told, beside what all are. The same names stand in docker-compose.yml and k8s. */
export const environmentOf = (
  service: ServiceProcess,
  {
    home,
    infrastructure,
    secrets,
    port,
  }: { home: string; infrastructure: Infrastructure; secrets: Secrets; port: number },
): NodeJS.ProcessEnv => {
  const clickhouse = (user: 'catalog' | 'timeseries' | 'export') => ({
    CLICKHOUSE_URL: infrastructure.clickhouseUrl,
    CLICKHOUSE_USER: user,
    CLICKHOUSE_PASSWORD: secrets.clickhouse[user],
    CLICKHOUSE_DATABASE: 'default',
  });
  const redis = (user: RedisUserName) => ({
    REDIS_URL: infrastructure.redisUrl,
    REDIS_USER: user,
    REDIS_PASSWORD: secrets.redis[user],
  });
  const own: Record<ServiceProcess, NodeJS.ProcessEnv> = {
    gateway: {
      HOST: '127.0.0.1',
      PORT: String(port),
      ...redis('gateway'),
      SESSION_SECRET: secrets.session,
    },
    catalog: { ...clickhouse('catalog'), CATALOG_FOLDER: join(home, 'catalog') },
    timeseries: { ...clickhouse('timeseries'), ...redis('timeseries') },
    export: {
      ...clickhouse('export'),
      S3_ENDPOINT: infrastructure.s3Url,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: secrets.s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: secrets.s3.secretAccessKey,
    },
    // Stub mode without them. Of the caller's environment, and to this service alone: they are secrets.
    commerce: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('STRIPE_'))),
    keys: redis('keys'),
  };
  return {
    NATS_URL: infrastructure.natsUrl,
    NATS_USER: service,
    NATS_PASSWORD: secrets.nats[service],
    ...own[service],
  };
};

const program = (service: ServiceProcess): string =>
  fileURLToPath(new URL(`../../../services/${service}/dist/main.js`, import.meta.url));

/** Variables of the caller that a service may have too; nothing else leaks into it. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LOG_LEVEL',
  'PLAN_TERMS',
  'NODE_OPTIONS',
  'LD_LIBRARY_PATH',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
];

/**
 * Node 24 takes 128 MB for young objects where the machine has them, and buffers that nobody needs wait as long to be
 * freed: timeseries had 345 MB under a load that takes 234 MB with 8 MB of it (measured), at the same speed; exports of ten
 * million rows took 247 MB with 8, 227 with 4 and 208 with 2, at the same speed of all rows that were measured. And it lets
 * garbage grow with the machine: 64 MB of ready answers took 235 MB of a process, and take 168 MB where the heap may have
 * 512 MB (measured), several times what a service holds. In a container its own limit has this effect.
 */
export const memoryFlags = ['--max-semi-space-size=2', '--max-old-space-size=512'] as const;

/**
 * The C library gives each thread of Node memory of its own, which others cannot use when it is free: a gateway that
 * had answered 50,000 questions had 242 MB, and has 142 MB with one for all, at the same speed (measured). Elsewhere
 * than in glibc it means nothing.
 */
const allocator = { MALLOC_ARENA_MAX: '1' };

export interface RunningService extends RunningProcess {
  /** Of /livez, /readyz and /metrics. */
  readonly healthPort: number;
}

/** Starts one service as a process of its own; resolves when its /readyz says that it takes work. */
export const startServiceProcess = async (options: ServiceOptions): Promise<RunningService> => {
  const healthPort = await freePort();
  const logs = join(options.home, 'logs');
  await mkdir(logs, { recursive: true });
  const inherited = Object.fromEntries(passedOn.map((name) => [name, process.env[name]]));
  const running = await startProcess({
    name: `The ${options.name} service`,
    command: process.execPath,
    args: [...memoryFlags, '--enable-source-maps', program(options.service)],
    env: { ...allocator, ...inherited, ...options.environment, HEALTH_PORT: String(healthPort) },
    logFile: join(logs, `${options.name}.log`),
    readyTimeoutMs: 30_000,
    stopTimeoutMs: 12_000,
    orphanSignal: 'SIGTERM',
    isReady: async () => {
      if (options.stopping.aborted)
        throw new LocalServerError(`The ${options.name} service was stopped before it was ready.`);
      const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(1_000) });
      await answer.body?.cancel();
      return answer.ok;
    },
  });
  return { ...running, healthPort };
};
