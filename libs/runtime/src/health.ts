import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { processMetrics } from './metrics.js';
import { withTimeout } from './with-timeout.js';

/** The state of one thing that a process stands on; answers null when it is well, else a sentence. */
export type Check = () => Promise<string | null> | string | null;

export interface Health {
  /** What the process cannot do without: it is not ready while one of them is unwell. */
  readonly checks: Map<string, Check>;
  /** What it can do without: one that is unwell is told as degraded, and the process stays ready. */
  readonly degradable: Map<string, Check>;
  /** What the service measures itself; libraries have `processMetrics`. */
  readonly metrics: Registry;
  /** Whether the process takes work; false before the start ended and once the stop began. */
  serving: boolean;
  /** Whether the stop began. */
  stopping: boolean;
  /** Told of every answer to how the process is. */
  onReadiness?: (readiness: Readiness) => void;
}

export const createHealth = (): Health => ({
  checks: new Map(),
  degradable: new Map(),
  metrics: new Registry(),
  serving: false,
  stopping: false,
});

/** Whether a process takes work, and why not. `degraded` names what it does without at the moment; absent when nothing. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  readonly degraded?: Readonly<Record<string, string>>;
}

const checkMs = 2_000;

/** The state of every check; a check that does not answer in 2 s counts as failed. */
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

/** What `/metrics` shows. */
export const allMetrics = ({ metrics }: Health): Registry => Registry.merge([metrics, processMetrics]);

/** Serves /livez, /readyz and /metrics on a port of their own. */
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
