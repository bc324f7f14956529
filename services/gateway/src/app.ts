import type { RequestListener } from 'node:http';
import { DomainError } from '@almanac/contracts';
import { type Health, type Logger, readiness } from '@almanac/runtime';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Authentication } from './auth/authenticate.js';
import type { ReserveAnswer } from './http/answer-memory.js';
import { browsersTo, consolePath, webConsole } from './console/console.js';
import { corsHeaders, type CorsOrigins } from './http/cors.js';
import type { RequestMetrics } from './http/metrics.js';
import { refuseLongBody, type RefuseUnread, refuseUnread, type WithBody } from './http/read-body.js';
import { type AnswerError, errorAnswers } from './http/answer-error.js';
import { HttpError, pathNotFound } from './http/error-response.js';
import { nearestPath } from './http/nearest-path.js';
import type { Caller, Exchange } from './http/exchange.js';
import { requestIdOf } from './http/request-id.js';
import { beginTrace } from './http/request-context.js';
import { sendJson, writeHead } from './http/reply.js';
import { admit, type Admit } from './limits/admit.js';
import type { RateLimits } from './limits/rate-limits.js';
import { apiPrefix } from './openapi/document.js';
import { documentation, type Page } from './openapi/documentation.js';
import { answerBeforeRouting } from './answer-before-routing.js';
import type { Forwarder } from './cache/forward.js';
import type { RouteDeps } from './cache/route-deps.js';
import type { Method, Route } from './routes/route.js';
import { sessionPage, sessionPath } from './sessions/auth-session.js';
import type { Sessions } from './auth/session.js';
import { type ResolveCaller, resolveCaller } from './sessions/resolve-caller.js';
import type { Raw } from './validation/validate.js';
import { stripeWebhookPath } from './webhooks/stripe-webhook.js';

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly deps: RouteDeps;
  readonly forwarder: Pick<Forwarder, 'answerTo' | 'countHit'>;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  readonly sessions: Sessions;
  readonly stripeWebhook: RequestHandler;
  readonly health: Health;
  readonly metrics: RequestMetrics;
  readonly log: Logger;
  readonly bodyBytesMax: number;
  readonly withBody: WithBody;
  readonly reserveAnswer: ReserveAnswer;
  /** Proxies whose forwarding headers are trusted, in express syntax. Undefined: none. */
  readonly trustProxy: string | undefined;
  readonly corsOrigins: CorsOrigins;
  /** The built web console. Undefined: there is none. */
  readonly consoleFolder: string | undefined;
}

interface AppContext extends AppOptions {
  readonly admit: Admit;
  readonly resolveCaller: ResolveCaller;
  readonly refuseUnread: RefuseUnread;
}

const contextOf = (options: AppOptions): AppContext => ({
  ...options,
  admit: admit(options.limits),
  resolveCaller: resolveCaller(options),
  refuseUnread: refuseUnread(),
});

/**
 * The HTTP application. The specification defines the order of checks: path 404, method 405, body 413, key 401, rate
 * 429, fields 422, then the answer of the service. Memory for a body is reserved after the check of the key.
 */
export const createApp = (options: AppOptions): RequestListener => {
  const app = bareApp();
  if (options.trustProxy !== undefined) app.set('trust proxy', options.trustProxy);
  const { metrics } = options;
  const context = contextOf(options);
  const measured = (path: string, method: Method, handle: RequestHandler): RequestHandler => {
    const meter = metrics.of(path, method);
    return (request, response, next) => {
      meter.begin(response);
      return handle(request, response, next);
    };
  };
  const traced = (path: string, method: Method, handle: RequestHandler): RequestHandler =>
    measured(path, method, (request, response, next) => {
      beginTrace(request, response, path);
      return handle(request, response, next);
    });
  // Only for the API: a session page takes cookies. Without origins, requests do not pay for the layer.
  const cors = options.corsOrigins.length > 0 ? corsHeaders(options.corsOrigins) : undefined;
  if (cors !== undefined) app.use(apiPrefix, noteCors(cors));
  // Express tries the paths in this order, so the most requested ones come first.
  for (const [path, rows] of byPath(options.routes)) {
    const at = app.route(`${apiPrefix}${path}`);
    for (const row of rows) at[row.method](handlerOf(row, context));
    at.all(otherMethod(rows));
  }
  for (const { path, answer } of probes(options.health)) app.get(path, measured(path, 'get', answer));
  const console = webConsole(options.consoleFolder);
  const pages = documentation(options.routes, console.isBuilt);
  for (const { path, answer } of pages) {
    app
      .route(path)
      .get(measured(path.startsWith('/docs/') ? '/docs/*' : path, 'get', answer))
      .all(otherMethod([{ method: 'get' }]));
  }
  const session = sessionPage(context);
  const sessionMethods = [{ method: 'get' }, { method: 'post' }, { method: 'delete' }] as const;
  app
    .route(sessionPath)
    .get(traced(sessionPath, 'get', session.get))
    .post(traced(sessionPath, 'post', session.post))
    .delete(traced(sessionPath, 'delete', session.delete))
    .all(otherMethod(sessionMethods));
  app
    .route(stripeWebhookPath)
    .post(traced(stripeWebhookPath, 'post', options.stripeWebhook))
    .all(otherMethod([{ method: 'post' }]));
  app
    .route([consolePath, `${consolePath}/*path`])
    .get(measured(consolePath, 'get', console.answer))
    .all(otherMethod([{ method: 'get' }]));
  app.get('/', measured('/', 'get', browsersTo(console.isBuilt ? 'console' : 'docs')));
  app.use(withoutSlash(app));
  const nearest = nearestPath([...suggestedPaths(options.routes), ...pages.map(({ path }) => path)], apiPrefix);
  app.use(({ path }) => {
    throw pathNotFound(nearest(path));
  });
  const answerError = errorAnswers(options.log, metrics);
  app.use(errorHandler(answerError));
  return orRouted(answerBeforeRouting({ ...options, cors, answerError }), app);
};

const orRouted =
  (answered: (...given: Parameters<RequestListener>) => boolean, app: RequestListener): RequestListener =>
  (request, response) => {
    if (!answered(request, response)) app(request, response);
  };

const noteCors =
  (cors: (request: Request) => string[]): RequestHandler =>
  (request, response, next) => {
    response.locals['cors'] = cors(request);
    next();
  };

/** The app during the start: it answers probes, and 503 to everything else. */
export const startingApp = ({ health, metrics, log }: Pick<AppOptions, 'health' | 'metrics' | 'log'>): Express => {
  const app = bareApp();
  for (const { path, answer } of probes(health)) app.get(path, answer);
  app.use(() => {
    throw new DomainError('unavailable', 'This server is starting. Try again in a few seconds.');
  });
  app.use(errorHandler(errorAnswers(log, metrics)));
  return app;
};

const bareApp = (): Express => {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  return app.enable('case sensitive routing').enable('strict routing');
};

const probes = (health: Health): readonly Page[] => [
  { path: '/livez', answer: (_request, response) => sendJson(response, { status: 'ok' }) },
  {
    path: '/readyz',
    answer: async (_request, response) => {
      const state = await readiness(health);
      sendJson(response, state, state.ready ? 200 : 503);
    },
  },
];

const suggestedPaths = (routes: readonly Route[]): string[] =>
  routes.filter(({ isHidden }) => !isHidden).map(({ path }) => `${apiPrefix}${path}`);

const byPath = (routes: readonly Route[]): Map<string, Route[]> => Map.groupBy(routes, ({ path }) => path);

/** A path that does not exist is tried again without its last slash. */
const withoutSlash =
  (app: Express): RequestHandler =>
  (request, response, next) => {
    const { url, path } = request;
    if (path.length < 2 || !path.endsWith('/') || path.endsWith('//')) {
      next();
      return;
    }
    request.url = `${path.slice(0, -1)}${url.slice(path.length)}`;
    app.router(request, response, next);
  };

/** Synchronous results are answered synchronously: a promise for each step would cost more than the steps. */
const handlerOf = (row: Route, context: AppContext): RequestHandler => {
  const { deps, bodyBytesMax: limit, withBody, reserveAnswer, admit: admitted, resolveCaller: callerOf } = context;
  const meter = context.metrics.of(row.path, row.method);
  const route = `${apiPrefix}${row.path}`;
  const begin = (request: Request, response: Response): void => {
    meter.begin(response);
    beginTrace(request, response, route);
    refuseLongBody(request, limit);
  };
  const admittedCaller = (request: Request, response: Response): Caller | Promise<Caller> =>
    thenMaybe(callerOf(request, requestIdOf(response)), (caller) =>
      thenMaybe(admitted(caller, response), () => caller),
    );
  const answer = (exchange: Pick<Exchange, 'request' | 'response' | 'caller'>, body?: Raw['body']) => {
    const { request, response, caller } = exchange;
    const raw = { path: request.params, query: queryOf(request.url), body };
    const requestId = requestIdOf(response);
    return row.answer(raw, { request, response, requestId, caller, reserveAnswer }, deps);
  };
  if (!row.takesBody) {
    return (request, response) => {
      begin(request, response);
      return thenMaybe(admittedCaller(request, response), (caller) => answer({ request, response, caller }));
    };
  }
  return async (request, response) => {
    begin(request, response);
    const caller = await promised(() => admittedCaller(request, response)).catch((error: unknown) =>
      context.refuseUnread(request, limit, error),
    );
    await withBody(request, { limit, account: caller.account }, (bytes) =>
      answer({ request, response, caller }, { bytes, contentType: request.headers['content-type'] }),
    );
  };
};

const promised = async <T>(value: () => T | Promise<T>): Promise<T> => value();

const thenMaybe = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

const queryOf = (url: string): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

/** Express answers HEAD through GET. OPTIONS lists the methods, as a 405 does. */
const otherMethod = (rows: readonly { readonly method: Method }[]): RequestHandler => {
  const methods = rows.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const allow = methods.join(', ');
  return (request, response) => {
    if (request.method === 'OPTIONS') {
      writeHead(response, 204, { Allow: allow }).end();
      return;
    }
    const detail = `This path does not support the method ${request.method}. Use one of: ${allow}.`;
    throw new HttpError('method_not_allowed', { detail, headers: { Allow: allow } });
  };
};

/** Express recognises an error handler by its four parameters. */
const errorHandler =
  (answerError: AnswerError) =>
  (error: unknown, request: Request, response: Response, _next: NextFunction): void =>
    answerError(error, request, response);
