import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from '../bus.js';

const longTimeoutMs = 60_000;

/**
 * Clients for consumer requests during the start of a process. Many processes often start together with the server,
 * which reads millions of messages first and answers late.
 */
export const longTimeoutClients = async ({ streams }: Bus) => ({
  js: jetstream(streams, { timeout: longTimeoutMs }),
  jsm: await jetstreamManager(streams, { checkAPI: false, timeout: longTimeoutMs }),
});
