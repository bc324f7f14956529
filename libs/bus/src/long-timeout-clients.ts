import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from './bus.js';

const longTimeoutMs = 60_000;

/**
 * Clients for consumer requests during the start of a process. Many processes often start together with the server,
 * which reads millions of messages first and answers late.
 */
export const longTimeoutClients = async ({ nc }: Bus) => ({
  js: jetstream(nc, { timeout: longTimeoutMs }),
  jsm: await jetstreamManager(nc, { checkAPI: false, timeout: longTimeoutMs }),
});
