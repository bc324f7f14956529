import type { AddressInfo } from 'node:net';
import { createHealth, createLogger } from '@almanac/runtime';
import { type AppOptions, createApp } from '../app.js';
import { overloadCounter, RequestMetrics } from '../http/metrics.js';
import { withRequestContext } from '../http/request-context.js';
import { serveHttp } from '../http/serve.js';
import { routes } from '../routes/routes.js';

export interface ServedPages {
  readonly url: string;
  stop(): Promise<void>;
}

/** The gateway's application without any server: it has what needs no key. */
export const servePages = async (
  parts: Partial<Pick<AppOptions, 'consoleFolder' | 'stripeWebhook'>> = {},
): Promise<ServedPages> => {
  const health = createHealth();
  const log = createLogger('pages', 'silent');
  const overload = overloadCounter(health.metrics);
  const unused = {} as Pick<
    AppOptions,
    'deps' | 'forwarder' | 'authentication' | 'limits' | 'sessions' | 'withBody' | 'reserveAnswer'
  >;
  const app = createApp({
    ...unused,
    routes,
    health,
    log,
    metrics: new RequestMetrics(health.metrics),
    bodyBytesMax: 0,
    trustProxy: undefined,
    corsOrigins: [],
    consoleFolder: undefined,
    stripeWebhook: (_request, _response, next) => next(),
    ...parts,
  });
  const limits = { STOP_DELAY_MS: 0, CONNECTIONS_MAX: 100, CLIENT_STALL_S: 60 };
  const listener = withRequestContext(app, log);
  const server = await serveHttp(listener, { HOST: '127.0.0.1', PORT: 0, ...limits, overload });
  const { port } = server.address as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.stop() };
};
