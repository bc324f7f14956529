import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '@almanac/runtime';
import type { ConnectionState } from './connection-state.js';

const usual = { forMs: 5_000, silentMsMax: 1_000 } as const;
const againMs = 200;

export interface Repeating {
  /** After a reconnection the request is sent at once: it may be lost. */
  readonly onReconnect?: ConnectionState['onReconnect'];
  /** Failures after which the request is sent again. Default: none. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Without an answer for this long, the request is sent again, and then after twice as long, up to `silentMsMax`. Default: 1 s. */
  readonly silentMs?: number;
  /** Default: 1 s. */
  readonly silentMsMax?: number;
  /** For this long, requests are sent. Default: 5 s. */
  readonly forMs?: number;
}

/**
 * Sends a request again each second until one is answered. A request to a leader of a stream that dies is never answered,
 * and another leader may be there before its timeout. The earlier requests still count, because a busy server may answer
 * late. Only for requests that have the same effect once and twice. The first failure ends it, such as the request's
 * timeout.
 */
export const repeatWhileSilent = async <T>(send: () => Promise<T>, repeating: Repeating = {}): Promise<T> => {
  const { onReconnect, isTransient = () => false, silentMsMax, forMs } = { ...usual, ...repeating };
  const sent = new Set<Promise<T>>();
  const sendOnce = (): void => {
    const request = send();
    request.catch(() => undefined);
    sent.add(request);
    request.catch((error: unknown) => isTransient(error) && sent.delete(request));
  };
  const deadline = performance.now() + forMs;
  for (let waitMs = repeating.silentMs ?? usual.silentMsMax; ; waitMs = Math.min(2 * waitMs, silentMsMax)) {
    sendOnce();
    const first = Promise.race(sent);
    if (performance.now() + waitMs > deadline) return first;
    const reconnected = Promise.withResolvers<null>();
    const stop = onReconnect?.(() => reconnected.resolve(null));
    try {
      const value = first.then((one) => ({ value: one }));
      const answered = await withTimeout(waitMs, Promise.race([value, reconnected.promise]), () => null);
      if (answered !== null) return answered.value;
    } catch (error) {
      if (!isTransient(error)) throw error;
      await delay(againMs);
    } finally {
      stop?.();
    }
  }
};
