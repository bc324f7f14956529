import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { type NatsAccount, natsAccounts } from '@almanac/bus';
import { redisRulesOf } from '@almanac/redis';
import { allMetrics, createHealth, createLogger, parseConfig, readSamples, type MetricSample } from '@almanac/runtime';
import { testNats, type TestRedis, testRedis, type TestServer } from '@almanac/testing';
import { gatewayConfig } from '../config.js';
import { startGateway } from '../start.js';
import { type ServiceStubs, startServiceStubs } from './service-stubs.js';

type RequestOptions = Omit<RequestInit, 'headers'> & { headers?: Readonly<Record<string, string>> };

export interface RunningGateway {
  readonly url: string;
  request(path: string, key?: { text: string }, init?: RequestOptions): Promise<Response>;
  samples(): Promise<MetricSample[]>;
  stop(): Promise<void>;
}

export interface TestSystem extends RunningGateway {
  readonly edge: ServiceStubs;
  readonly redis: TestRedis;
  /** Starts another gateway, with changed variables if given. */
  another(variables?: Readonly<Record<string, string>>): Promise<RunningGateway>;
}

type Nats = Pick<TestServer, 'url' | 'stop'>;

/** The gateway with its own rights on a real NATS, and stubs of the other services. NATS_PARTITIONS applies to all. */
export const startSystem = async (
  variables: Readonly<Record<string, string>> = {},
  startNats: (accounts: Readonly<Record<string, NatsAccount>>) => Promise<Nats> = (accounts) => testNats({ accounts }),
): Promise<TestSystem> => {
  const password = randomUUID();
  // Long replies are fetched from the inbox of the answering service. Only timeseries sends them.
  const partitions = Number(variables['NATS_PARTITIONS'] ?? 1);
  const nats = await startNats(natsAccounts(() => password, { timeseries: password }, partitions));
  const redis = await testRedis({ users: [{ user: 'gateway', password, rules: redisRulesOf('gateway') }] });
  const edge = await startServiceStubs(nats.url, { user: 'timeseries', password, partitions });
  const environment = {
    NATS_URL: nats.url,
    NATS_PASSWORD: password,
    REDIS_URL: redis.address,
    REDIS_USER: 'gateway',
    REDIS_PASSWORD: password,
    SESSION_SECRET: randomUUID(),
    ...variables,
  };
  const started: RunningGateway[] = [];
  const another: TestSystem['another'] = async (more = {}) => {
    const gateway = await startOne({ ...environment, ...more });
    started.push(gateway);
    return gateway;
  };
  const first = await another();
  return {
    ...first,
    edge,
    redis,
    another,
    stop: async () => {
      for (const gateway of started) await gateway.stop();
      await edge.stop();
      await Promise.all([nats.stop(), redis.stop()]);
    },
  };
};

const startOne = async (environment: Record<string, string>): Promise<RunningGateway> => {
  const port = await freePort();
  const config = parseConfig(gatewayConfig, { ...environment, PORT: String(port) });
  const stops: (() => Promise<void> | void)[] = [];
  const health = createHealth();
  const log = createLogger('gateway', process.env['TEST_LOG_LEVEL'] ?? 'silent');
  await startGateway(config, { log, health, onStop: (_name, stop) => void stops.unshift(stop) });
  health.serving = true;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    request: (path, key, init = {}) => {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key.text}` };
      return fetch(`${url}/api/v1${path}`, { ...init, headers: { ...authorization, ...init.headers } });
    },
    samples: () => readSamples(allMetrics(health)),
    stop: async () => {
      for (const stop of stops.splice(0)) await stop();
    },
  };
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        server.close(() => resolve(port));
      });
  });
