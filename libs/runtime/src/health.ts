import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { processMetrics } from './metrics.js';
import { withTimeout } from './with-timeout.js';

/** Checks one dependency of a process. Null: no fault, else a sentence. */
export type Check = () => Promise<string | null> | string | null;

export interface Health {
  /** Required checks. The process is not ready while one of them fails. */
  readonly checks: Map<string, Check>;
  /** Optional checks. The process is degraded but ready while one of them fails. */
  readonly degradable: Map<string, Check>;
  /** Metrics of the service itself. Libraries use `processMetrics`. */
  readonly metrics: Registry;
  /** Whether the process accepts work. False before the start has finished and after the stop has begun. */
  serving: boolean;
  stopping: boolean;
  /** Called with each result of the health checks. */
  onReadiness?: (readiness: Readiness) => void;
}

export const createHealth = (): Health => ({
  checks: new Map(),
  degradable: new Map(),
  metrics: new Registry(),
  serving: false,
  stopping: false,
});

/** Whether a process accepts work, and why not. `degraded`: failing optional checks; absent if none. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  readonly degraded?: Readonly<Record<string, string>>;
}

const checkMs = 2_000;

/** Runs all checks. A check without an answer in 2 s counts as failed. */
export const readiness = async (health: Health): Promise<Readiness> => {
  const [checks, degradable] = await Promise.all([outcomesOf(health.checks), outcomesOf(health.degradable)]);
  const failing = degradable.filter(([, outcome]) => outcome !== 'ok');
  const state = {
    ready: health.serving && checks.every(([, outcome]) => outcome === 'ok'),
    checks: Object.fromEntries([['process', health.serving ? 'ok' : 'not serving'], ...checks]),
    ...(failing.length === 0 ? {} : { degraded: Object.fromEntries(failing) }),
  };
  health.onReadiness?.(state);
  return state;
};

const outcomesOf = (checks: Health['checks']): Promise<[string, string][]> =>
  Promise.all([...checks].map(async ([name, check]) => [name, await outcomeOf(check)]));

const outcomeOf = async (check: Check): Promise<string> => {
  try {
    const outcome = Promise.resolve(check());
    return (await withTimeout(checkMs, outcome, () => `no answer within ${checkMs} ms`)) ?? 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

export const allMetrics = ({ metrics }: Health): Registry => Registry.merge([metrics, processMetrics]);

/** Serves /livez, /readyz and /metrics on a separate port. */
export const serveHealth = async (
  health: Health,
  at: { host: string; port: number },
): Promise<{ server: Server; port: number }> => {
  const server = createServer((request, response) => {
    void answer(health, request.url ?? '/').then(({ status, type, body }) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at.port, at.host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
};

const answer = async (health: Health, path: string): Promise<{ status: number; type: string; body: string }> => {
  if (path === '/livez') return { status: 200, type: 'application/json', body: '{"status":"ok"}' };
  if (path === '/metrics') {
    return { status: 200, type: health.metrics.contentType, body: await allMetrics(health).metrics() };
  }
  if (path !== '/readyz') return { status: 404, type: 'application/json', body: '{"detail":"Not found"}' };
  const state = await readiness(health);
  return { status: state.ready ? 200 : 503, type: 'application/json', body: JSON.stringify(state) };
};
