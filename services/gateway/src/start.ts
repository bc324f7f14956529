import { connectFromConfig, rpcClient } from '@almanac/bus';
import { connectRedis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { createApp } from './app.js';
import { createAuthentication } from './auth/authenticate.js';
import { watchLink } from './auth/link.js';
import { keyUses } from './auth/note-uses.js';
import { createFills } from './cache/fills.js';
import { createForwarder } from './cache/forward.js';
import { createHotCache } from './cache/hot-cache.js';
import type { GatewayConfig } from './config.js';
import { cancelExport } from './exports/cancel-export.js';
import { followExports } from './exports/export-states.js';
import { createLinks } from './exports/links.js';
import { pollExport } from './exports/poll-export.js';
import { sendFile } from './exports/send-file.js';
import { followChanges } from './follow-changes.js';
import type { Exchange } from './http/exchange.js';
import { serveHttp } from './http/serve.js';
import type { Form } from './http/wishes.js';
import { startLimits } from './limits/start-limits.js';
import type { Question } from './routes/parts.js';
import { routes } from './routes/routes.js';
import { createSessions } from './sessions/session.js';
import { stripeWebhook } from './webhooks/stripe-webhook.js';

/** Starts the gateway: hears what changes, then listens on HOST and PORT. */
export const startGateway = async (config: GatewayConfig, runtime: Runtime): Promise<void> => {
  const { log, health, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const rpc = rpcClient(bus);
  const { limits, uses } = startCounting(config, runtime);
  const fills = createFills();
  const authentication = createAuthentication({
    rpc,
    fills,
    accountsMax: config.ACCOUNTS_MAX,
    trusted: () => link.knowsKeys(),
    onUse: (keyId) => uses.used(keyId),
  });
  const cache = createHotCache(config.CACHE_MB * 1_048_576);
  const forwarder = createForwarder({
    rpc,
    cache,
    fills,
    asksToKeep: config.CACHE_FROM_ASK,
    trusted: () => link.hearsChanges(),
  });
  const changes = await followChanges(bus, { authentication, forwarder, log });
  onStop('changes', () => changes.stop());
  const link = watchLink(bus, {
    log,
    keys: changes.keys,
    startSeq: (await bus.jsm.streams.info('EVT_KEYS')).state.last_seq,
    onLost: () => {
      fills.spoilAll();
      authentication.forgetAll();
      forwarder.lost();
    },
  });
  onStop('link', () => link.stop());
  const states = await followExports(bus, config.EXPORTS_MAX, log);
  onStop('exports', () => states.stop());

  const links = createLinks(rpc);
  const parts = {
    recall: (exchange: Exchange, form: Form | undefined) => forwarder.recall(exchange, form),
    forward: (question: Question) => forwarder.forward(question),
    pollExport: pollExport(states, links),
    cancelExport: cancelExport(states, rpc),
    sendFile: sendFile(states, links),
  };
  const app = createApp({
    routes,
    parts,
    authentication,
    limits,
    sessions: createSessions({ secret: config.SESSION_SECRET, ttlS: config.SESSION_TTL_S }),
    stripeWebhook: stripeWebhook(rpc),
    health,
    log,
    bodyBytesMax: config.BODY_MAX_BYTES,
    trustProxy: config.TRUST_PROXY,
  });
  const server = await serveHttp(app, config);
  onStop('http', () => server.stop());
  log.info({ address: server.address }, 'listening');
};

/** What is counted of callers, in Redis and here. */
const startCounting = (config: GatewayConfig, runtime: Runtime) => {
  const { log, onStop } = runtime;
  const redis = connectRedis({ url: config.REDIS_URL, runtime, without: 'this gateway limits requests on its own' });
  onStop('redis', () => redis.disconnect());
  const accountsMax = config.ACCOUNTS_MAX;
  const limits = startLimits({ redis, plans: config.PLAN_TERMS, accountsMax, runtime });
  const uses = keyUses(redis, { keysMax: accountsMax, log });
  onStop('key uses', () => uses.stop());
  return { limits, uses };
};
