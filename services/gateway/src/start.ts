import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { connectFromConfig, rpcClient, type StreamPosition } from '@almanac/bus';
import { connectRedis } from '@almanac/redis';
import { byteBudget, type Runtime } from '@almanac/runtime';
import { createApp, startingApp } from './app.js';
import { createAuthentication } from './auth/authenticate.js';
import { watchFeedFreshness } from './auth/feed-freshness.js';
import { createFailedKeys } from './auth/failed-keys.js';
import { createKeyCache } from './auth/key-cache.js';
import { createKeyLookups } from './auth/key-lookups.js';
import { createKeyUsage } from './auth/key-usage.js';
import { createFills } from './cache/cache-fills.js';
import { createForwarder } from './cache/forward.js';
import { createResponseCache } from './cache/response-cache.js';
import { cacheMetrics } from './cache/metrics.js';
import type { GatewayConfig } from './config.js';
import { builtConsole } from './console/console.js';
import { startExports } from './exports/start-exports.js';
import { invalidateOnChanges } from './invalidate-on-changes.js';
import { answerReservations } from './http/answer-memory.js';
import { createEventStreams } from './http/event-streams.js';
import { type OverloadCounter, overloadCounter, RequestMetrics } from './http/metrics.js';
import { bodyReader } from './http/read-body.js';
import { withRequestContext } from './http/request-context.js';
import { serveHttp } from './http/serve.js';
import { startLimits } from './limits/start-limits.js';
import { startOperatorHistory } from './operator/operator-history.js';
import { operatorStatusReader, type StatusSources } from './operator/operator-status.js';
import { withNearestId } from './routes/nearest-id.js';
import { routes } from './routes/routes.js';
import { createSessions } from './auth/session.js';
import { stripeWebhook } from './webhooks/stripe-webhook.js';

const mebibyte = 1_048_576;

/** Starts the gateway on HOST and PORT. It answers 503 until it follows all changes. */
export const startGateway = async (config: GatewayConfig, runtime: Runtime): Promise<void> => {
  const { log, health, onStop } = runtime;
  const metrics = new RequestMetrics(health.metrics);
  let app: RequestListener = startingApp({ health, metrics, log });
  const listener = withRequestContext((request, response) => app(request, response), log);
  const overload = overloadCounter(health.metrics);
  const server = await serveHttp(listener, { ...config, overload });
  onStop('http of the start', () => server.stop());
  log.info({ address: server.address }, 'listening');
  const startedApp = await startRequestHandling(config, runtime, { metrics, overload });
  app = startedApp.app;
  // Registered a second time: the last registration stops first, so the server stops before everything its requests
  // need.
  onStop('http', () => server.stop());
  onStop('event streams', () => startedApp.streams.stop());
};

interface GatewayMetrics {
  readonly metrics: RequestMetrics;
  readonly overload: OverloadCounter;
}

const startRequestHandling = async (config: GatewayConfig, runtime: Runtime, { metrics, overload }: GatewayMetrics) => {
  const { log, health, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const rpc = rpcClient(bus);
  const { limits, uses, failedKeys } = startUsageTracking(config, runtime);
  const fills = createFills();
  const trusted = (): boolean => link.areKeysCurrent();
  const keyCache = createKeyCache({ fills, accountsMax: config.ACCOUNTS_MAX, trusted });
  const lookups = createKeyLookups({ rpc, cache: keyCache, failedKeys, trusted });
  const authentication = createAuthentication({ cache: keyCache, lookups, onUse: (keyId) => uses.used(keyId) });
  const cache = createResponseCache(config.CACHE_MB * mebibyte);
  const position = (): StreamPosition => changes.followed.catalogue.following.position;
  const forwarder = createForwarder({
    rpc,
    cache,
    metrics: cacheMetrics(health.metrics, () => cache.bytes),
    fills,
    requestsBeforeCaching: config.CACHE_FROM_REQUEST,
    archive: { trusted: () => link.areChangesCurrent() },
    catalogue: { trusted: () => link.isCatalogueCurrent(), position },
    etagSecret: createHmac('sha256', config.SESSION_SECRET).update('etag').digest('base64url'),
  });
  const streams = createEventStreams();
  const changes = await invalidateOnChanges(bus, { keyCache, forwarder, streams, log });
  onStop('changes', () => changes.stop());
  const link = watchFeedFreshness(bus, {
    log,
    changes,
    onFeedLost: () => {
      fills.invalidateAll();
      streams.endAll();
    },
    ...boundsOf(config),
  });
  onStop('link', () => link.stop());
  const exports = await startExports({ bus, rpc, authentication, streams, max: config.EXPORTS_MAX, runtime });
  const operator = await startOperatorReads({ bus, rpc, log }, config, runtime);
  const deps = { forward: withNearestId(rpc, forwarder.forward), ...exports, ...operator };
  const memory = memoryLimits(config, overload);
  const app = createApp({
    routes,
    deps,
    forwarder,
    authentication,
    limits,
    sessions: createSessions(config),
    stripeWebhook: stripeWebhook(rpc, memory.withBody),
    health,
    metrics,
    log,
    ...memory,
    trustProxy: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    consoleFolder: config.CONSOLE_FOLDER ?? builtConsole(),
  });
  return { app, streams };
};

/** What the operator's page shows: the system now, and its last day. */
const startOperatorReads = async (sources: StatusSources, config: GatewayConfig, { onStop }: Runtime) => {
  const history = await startOperatorHistory(sources, { folder: config.HISTORY_FOLDER });
  onStop('operator history', () => history.stop());
  return { readOperatorStatus: operatorStatusReader(sources), operatorHistory: () => history.read() };
};

const boundsOf = ({ REVOCATION_MS: revocationMs, STALE_ANSWERS_MS: staleMs }: GatewayConfig) => ({
  revocationMs,
  staleMs,
});

const memoryLimits = ({ BODY_MAX_BYTES, BODIES_MB, ANSWERS_MB }: GatewayConfig, overload: OverloadCounter) => ({
  bodyBytesMax: BODY_MAX_BYTES,
  withBody: bodyReader(byteBudget(BODIES_MB * mebibyte), overload),
  reserveAnswer: answerReservations(byteBudget(ANSWERS_MB * mebibyte), overload),
});

/** Tracks requests and key usage of callers, in Redis and in memory. */
const startUsageTracking = (config: GatewayConfig, runtime: Runtime) => {
  const { log, onStop } = runtime;
  const without = 'this gateway limits requests by itself, and the last uses of keys are not recorded';
  const redis = connectRedis({ config, runtime, without });
  onStop('redis', () => redis.disconnect());
  const accountsMax = config.ACCOUNTS_MAX;
  const limits = startLimits({ redis, plans: config.PLAN_TERMS, accountsMax, runtime });
  const uses = createKeyUsage(redis, { keysMax: accountsMax, log });
  onStop('key uses', () => uses.stop());
  const failedKeys = createFailedKeys({
    redis,
    limit: config.FAILED_KEYS_PER_MINUTE,
    secret: config.SESSION_SECRET,
    log,
  });
  return { limits, uses, failedKeys };
};
