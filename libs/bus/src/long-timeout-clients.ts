import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from './bus.js';

const longTimeoutMs = 60_000;

/**
 * To ask for consumers, as is done when a process starts: often many start at once and the server too, which reads
 * millions of messages first, and answers late.
 */
export const longTimeoutClients = async ({ nc }: Bus) => ({
  js: jetstream(nc, { timeout: longTimeoutMs }),
  jsm: await jetstreamManager(nc, { checkAPI: false, timeout: longTimeoutMs }),
});
