import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';

/** One thing a process cannot do without; answers null when it is well, else a sentence. */
export type Check = () => Promise<string | null> | string | null;

export interface Health {
  readonly checks: Map<string, Check>;
  readonly metrics: Registry;
  /** Whether the process takes work; false before the start ended and once the stop began. */
  serving: boolean;
}

export const createHealth = (): Health => ({ checks: new Map(), metrics: new Registry(), serving: false });

const checkMs = 2_000;

/** The state of every check; a check that does not answer in 2 s counts as failed. */
export const readiness = async (health: Health): Promise<{ ready: boolean; checks: Record<string, string> }> => {
  const entries = await Promise.all(
    [...health.checks].map(async ([name, check]): Promise<[string, string]> => [name, await outcomeOf(check)]),
  );
  const ready = health.serving && entries.every(([, outcome]) => outcome === 'ok');
  return { ready, checks: Object.fromEntries([['process', health.serving ? 'ok' : 'not serving'], ...entries]) };
};

const outcomeOf = async (check: Check): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${checkMs} ms`), checkMs);
  });
  try {
    return (await Promise.race([Promise.resolve(check()), late])) ?? 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
};

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
    return { status: 200, type: health.metrics.contentType, body: await health.metrics.metrics() };
  }
  if (path !== '/readyz') return { status: 404, type: 'application/json', body: '{"detail":"Not found"}' };
  const { ready, checks } = await readiness(health);
  return { status: ready ? 200 : 503, type: 'application/json', body: JSON.stringify({ ready, checks }) };
};
