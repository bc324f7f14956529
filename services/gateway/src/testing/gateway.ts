import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { natsAccounts } from '@almanac/bus';
import { redisRulesOf } from '@almanac/redis';
import { allMetrics, createHealth, createLogger, parseConfig, readSamples, type MetricSample } from '@almanac/runtime';
import { testNats, type TestNats, type TestRedis, testRedis } from '@almanac/testing';
import { config as gatewayConfig } from '../config.js';
import { startGateway } from '../start.js';
import { type ServiceStubs, startServiceStubs } from './service-stubs.js';

type RequestOptions = Omit<RequestInit, 'headers'> & { headers?: Readonly<Record<string, string>> };
type Variables = Readonly<Record<string, string>>;

export interface RunningGateway {
  readonly url: string;
  request(path: string, key?: { text: string }, init?: RequestOptions): Promise<Response>;
  samples(): Promise<MetricSample[]>;
  stop(): Promise<void>;
}

/** A gateway that listens, and serves once `started` resolves. */
export interface LaunchedGateway extends RunningGateway {
  readonly started: Promise<void>;
}

export interface TestSystem extends RunningGateway {
  readonly edge: ServiceStubs;
  readonly nats: TestNats;
  readonly redis: TestRedis;
  /** Starts another gateway, with changed variables if given. */
  another(variables?: Variables): Promise<RunningGateway>;
  /** Like `another`, for a gateway that cannot serve yet. */
  launch(variables: Variables): Promise<LaunchedGateway>;
}

/** The gateway with its own rights on a real NATS, and stubs of the other services. NATS_PARTITIONS applies to all. */
export const startSystem = async (variables: Variables = {}): Promise<TestSystem> => {
  const password = randomUUID();
  // Long replies are fetched from the inbox of the answering service. Only timeseries sends them.
  const partitions = Number(variables['NATS_PARTITIONS'] ?? 1);
  const [nats, redis] = await Promise.all([
    testNats({ accounts: natsAccounts(() => password, { timeseries: password }, partitions) }),
    testRedis({ users: [{ user: 'gateway', password, rules: redisRulesOf('gateway') }] }),
  ]);
  const edge = await startServiceStubs(nats.url, { user: 'timeseries', password, partitions });
  const environment = {
    NATS_URL: nats.url,
    NATS_PASSWORD: password,
    REDIS_URL: redis.address,
    REDIS_USER: 'gateway',
    REDIS_PASSWORD: password,
    SESSION_SECRET: randomUUID(),
    // Shorter than in production, so that tests see what happens afterwards.
    REVOCATION_MS: '1000',
    STALE_ANSWERS_MS: '1000',
    ...variables,
  };
  const launched: RunningGateway[] = [];
  const launch: TestSystem['launch'] = async (more) => {
    const gateway = await launchOne({ ...environment, ...more });
    launched.push(gateway);
    return gateway;
  };
  const another: TestSystem['another'] = async (more = {}) => {
    const { started, ...gateway } = await launch(more);
    await started;
    return gateway;
  };
  return {
    ...(await another()),
    edge,
    nats,
    redis,
    another,
    launch,
    stop: async () => {
      for (const gateway of launched) await gateway.stop();
      await edge.stop();
      await Promise.all([nats.stop(), redis.stop()]);
    },
  };
};

/** Declares tests of what a gateway has cached: see `undisturbed`. */
export const steadyIn =
  (systemOf: () => TestSystem) =>
  (name: string, test: () => Promise<void>): void =>
    void it(name, () => systemOf().edge.keys.undisturbed(test));

const launchOne = async (environment: Variables): Promise<LaunchedGateway> => {
  const config = parseConfig(gatewayConfig, { ...environment, PORT: '0' });
  const stops: (() => Promise<void> | void)[] = [];
  const health = createHealth();
  const listening = Promise.withResolvers<string>();
  const write = (line: string): void => {
    const port = /"address":\{[^}]*"port":(\d+)/.exec(line)?.[1];
    if (port !== undefined) listening.resolve(port);
  };
  const log = createLogger('gateway', 'info', { write });
  const start = async (): Promise<void> => {
    await startGateway(config, { log, health, onStop: (_name, stop) => void stops.unshift(stop) });
    health.serving = true;
  };
  const started = start();
  started.catch(listening.reject);
  const url = `http://127.0.0.1:${await listening.promise}`;
  return {
    url,
    started,
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
