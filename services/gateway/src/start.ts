import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { connectFromConfig, rpcClient } from '@almanac/bus';
import type { Runtime } from '@almanac/runtime';
import { createApp } from './app.js';
import { createAuthentication } from './auth/authenticate.js';
import { watchLink } from './auth/link.js';
import { createFills } from './cache/fills.js';
import { createForwarder } from './cache/forward.js';
import { createHotCache } from './cache/hot-cache.js';
import type { GatewayConfig } from './config.js';
import { followExports } from './exports/export-states.js';
import { createLinks } from './exports/links.js';
import { pollExport } from './exports/poll-export.js';
import { sendFile } from './exports/send-file.js';
import { followChanges } from './follow-changes.js';
import { answerClientError } from './http/client-error.js';
import type { Exchange } from './http/exchange.js';
import type { Form } from './http/wishes.js';
import type { Question } from './routes/parts.js';
import { routes } from './routes/routes.js';
import { stripeWebhook } from './webhooks/stripe-webhook.js';

/** Starts the gateway: hears what changes, then listens on HOST and PORT. */
export const startGateway = async (config: GatewayConfig, runtime: Runtime): Promise<void> => {
  const { log, health, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const rpc = rpcClient(bus);
  const fills = createFills();
  const authentication = createAuthentication({
    rpc,
    fills,
    accountsMax: config.ACCOUNTS_MAX,
    trusted: () => link.knowsKeys(),
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
    sendFile: sendFile(states, links),
  };
  const bodyBytesMax = config.BODY_MAX_BYTES;
  const server = createServer(
    // Idle connections outlive those of the usual load balancers (60 s), so that none closes under a request.
    { keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 30_000, maxHeaderSize: 65_536 },
    createApp({ routes, parts, authentication, stripeWebhook: stripeWebhook(rpc), health, log, bodyBytesMax }),
  );
  server.on('clientError', answerClientError);
  // An expectation that nobody knows is none; Node would refuse it in a shape of its own.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await listen(server, config);
  onStop('http', () => closeServer(server));
  log.info({ address: server.address() }, 'listening');
};

const listen = (server: Server, { HOST, PORT }: GatewayConfig): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** What is left then is cut off, in time for the process to end within its 10 s. */
const finishMsMax = 8_000;

/** Takes no more connections and lets the answers that are under way end. */
const closeServer = async (server: Server): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let open = true;
  void closed.then(() => (open = false));
  const deadline = performance.now() + finishMsMax;
  // A kept connection becomes idle only when its answer ended, so it is looked at again and again.
  while (open && performance.now() < deadline) {
    server.closeIdleConnections();
    await Promise.race([closed, delay(20)]);
  }
  server.closeAllConnections();
  await closed;
};
