import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickHouseServices } from '@almanac/clickhouse';
import { type ProcessName, serviceRows } from '@almanac/contracts';
import { freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { redisUserNames } from '@almanac/redis';
import { z } from 'zod';
import { bucket, clickHouseAddress, type Infrastructure } from './infrastructure.js';
import type { Secrets } from './secrets.js';

export interface ServiceOptions {
  readonly service: ProcessName;
  /** Distinguishes several processes of one service, such as `gateway-2`. */
  readonly name: string;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
  /** Aborted when the system stops, so that a start does not wait any longer. */
  readonly stopping: AbortSignal;
}

/** The environment of each service. docker-compose.yml and k8s use the same names. */
export const environmentOf = (
  service: ProcessName,
  {
    home,
    infrastructure,
    secrets,
    port,
  }: { home: string; infrastructure: Infrastructure; secrets: Secrets; port: number },
): NodeJS.ProcessEnv => {
  const { folder } = serviceRows[service];
  const variable = service.toUpperCase();
  // Of those that exist only here. Commerce gets secrets from the caller, and works without them.
  const own: Partial<Record<ProcessName, NodeJS.ProcessEnv>> = {
    gateway: {
      HOST: '127.0.0.1',
      PORT: String(port),
      SESSION_SECRET: secrets.session,
      HISTORY_FOLDER: join(home, 'history'),
      SESSION_HOSTS: process.env['SESSION_HOSTS'] ?? 'localhost,127.0.0.1,[::1]',
    },
    commerce: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('STRIPE_'))),
    webhooks: {
      WEBHOOK_SECRET: secrets.webhook,
      WEBHOOK_EARLIER_SECRETS: secrets.webhookEarlier.join(','),
      WEBHOOK_LOST_SECRETS: secrets.webhookLost.join(','),
    },
  };
  return {
    NATS_URL: infrastructure.natsUrl,
    NATS_USER: service,
    NATS_PASSWORD: secrets.nats[service],
    NATS_STORE_FOLDER: join(home, 'nats'),
    NATS_STORAGE_GB: process.env['NATS_STORAGE_GB'] ?? '20',
    ...serversOf(service, { infrastructure, secrets }),
    ...(folder === undefined ? {} : { [`${variable}_FOLDER`]: join(home, service) }),
    ...own[service],
  };
};

/** The addresses of its servers, with its logins. */
const serversOf = (
  service: ProcessName,
  { infrastructure, secrets }: { infrastructure: Infrastructure; secrets: Secrets },
): NodeJS.ProcessEnv => {
  const clickHouseUser = clickHouseServices.find((user) => user === service);
  const redisUser = redisUserNames.find((user) => user === service);
  const { uses } = serviceRows[service];
  const s3 = uses.includes('s3') ? secrets.s3 : uses.includes('s3-slabs') ? secrets.s3Slabs : undefined;
  return {
    ...(clickHouseUser && {
      ...clickHouseAddress(infrastructure),
      CLICKHOUSE_USER: clickHouseUser,
      CLICKHOUSE_PASSWORD: secrets.clickhouse[clickHouseUser],
      CLICKHOUSE_DATABASE: 'default',
    }),
    ...(redisUser && {
      REDIS_URL: infrastructure.redisUrl,
      REDIS_USER: redisUser,
      REDIS_PASSWORD: secrets.redis[redisUser],
    }),
    ...(s3 && {
      S3_ENDPOINT: infrastructure.s3Url,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }),
  };
};

const changedMs = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The bundle of a service, which `npm run build` makes after `tsc -b`. Throws if the service was compiled since. */
const programOf = (service: ProcessName): string => {
  const folder = fileURLToPath(new URL(`../../services/${service}/`, import.meta.url));
  const bundle = join(folder, 'dist', 'bundled', 'main.js');
  if (changedMs(bundle) < changedMs(join(folder, 'tsconfig.tsbuildinfo'))) {
    throw new Error(`The ${service} service was compiled but not bundled. Run: npm run build`);
  }
  return bundle;
};

/** The caller's variables that services get. No others reach them. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LOG_LEVEL',
  'PLAN_TERMS',
  'NATS_PARTITIONS',
  'WEBHOOK_ALLOWED_NETWORKS',
  'NODE_OPTIONS',
  'LD_LIBRARY_PATH',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
];

/**
 * Measured. Node 24 gives young objects 128 MB if the machine has it, and unused buffers wait as long to be freed:
 * timeseries had 345 MB under a load that takes 234 MB with 8 MB of it, at the same speed. Exports of ten million rows
 * took 247 MB with 8, 227 with 4 and 208 with 2, at the same speed. The old space also grows with the machine: 64 MB of
 * ready answers took 235 MB of a process, and 168 MB with a heap of 512 MB, several times what a service needs. In a
 * container its memory limit has this effect.
 */
const memoryFlags = ['--max-semi-space-size=2', '--max-old-space-size=512'];

/** What Node gets to run a service. */
export const argumentsOf = (service: ProcessName): string[] => [
  ...memoryFlags,
  '--enable-source-maps',
  programOf(service),
];

/**
 * glibc gives each thread its own arena, whose free memory other threads cannot use. A gateway that had answered 50,000
 * requests had 242 MB, and 142 MB with one arena. glibc also keeps large buffers once some were freed. With fixed limits,
 * a gateway had 238 MB instead of 277 after the benchmark's reads of windows. Both at the same speed (measured). Other C
 * libraries ignore these variables.
 */
const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' };

export interface RunningService extends RunningProcess {
  readonly healthPort: number;
}

/** Starts one service as a process. Resolves when its /readyz reports ready. */
export const startServiceProcess = async (options: ServiceOptions): Promise<RunningService> => {
  const healthPort = await freePort();
  const logs = join(options.home, 'logs');
  await mkdir(logs, { recursive: true });
  const inherited = Object.fromEntries(passedOn.map((name) => [name, process.env[name]]));
  const running = await startProcess({
    name: `The ${options.name} service`,
    command: process.execPath,
    args: argumentsOf(options.service),
    env: { ...allocator, ...inherited, ...options.environment, HEALTH_PORT: String(healthPort) },
    logFile: join(logs, `${options.name}.log`),
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 12_000,
    orphanSignal: 'SIGTERM',
    stopping: options.stopping,
    ...(options.service === 'gateway' ? { port: Number(options.environment['PORT']) } : {}),
    isReady: () => readinessOf(healthPort),
    onWaiting: (why) => options.print(`The ${options.name} service is not ready yet: ${why}.`),
  });
  return { ...running, healthPort };
};

const readyz = z.object({ checks: z.record(z.string(), z.string()) });

/** True, or the failing checks as a text. */
const readinessOf = async (healthPort: number): Promise<true | string> => {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(3_000) });
  const { checks } = readyz.parse(await answer.json());
  if (answer.ok) return true;
  const failing = Object.entries(checks).filter(([, outcome]) => outcome !== 'ok');
  return failing.map(([check, outcome]) => `${check}: ${outcome}`).join('; ');
};
