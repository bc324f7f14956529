import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Running } from '../bus.js';
import { measuredLimit } from './measured-limit.js';

const everyMs = 250;
/**
 * Without this, a client notices a frozen server after up to 30 s. A gateway needs another one before its evidence about
 * keys is too old (`REVOCATION_MS`, 2 s), and its requests wait for it.
 */
const silence = { leastMs: 400, mostMs: 1_000, times: 2.5 } as const;
/** For an answer that waits behind a busy event loop. */
const graceMs = 100;

/** Connects to another server when that of the connection answers nothing. For several servers. */
export const leaveSilentServer = (nc: NatsConnection, onLeave: (server: string) => void): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);
  const usual = measuredLimit(silence);
  const isSilent = async (): Promise<boolean> => {
    let answered = false;
    const done = (): void => void (answered = true);
    const answer = (ms: number): void => {
      done();
      usual.add(ms);
    };
    // A lost connection fails at once, and is made again anyway.
    const request = nc.rtt().then(answer, done);
    await Promise.race([request, pause(usual.ms)]);
    if (!answered) await Promise.race([request, pause(graceMs)]);
    return !answered;
  };
  const watching = (async () => {
    while (!signal.aborted && !nc.isClosed()) {
      if ((await isSilent()) && !signal.aborted && !nc.isClosed() && !nc.isDraining()) {
        onLeave(nc.getServer());
        await nc.reconnect();
      }
      await pause(everyMs);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
