import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, type Running, streamState, subjects } from '@almanac/bus';
import { type Logger, withTimeout } from '@almanac/runtime';

/** Gateways trust cached keys for three missed heartbeats, 750 ms. */
export const heartbeatMs = 250;

/**
 * Maximum age of a heartbeat's content. A later answer is not sent: a key revoked meanwhile would stay valid for the
 * duration of the answer plus 750 ms.
 */
const ageMsMax = 250;

/** A lost server leaves a request unanswered for seconds. This timeout starts the next one earlier. */
const readTimeoutMs = 1_000;

/**
 * Sends the last sequence of EVT_KEYS at its leader to every gateway, four times a second. A gateway that has
 * received this sequence may use its cache. Without heartbeats, because its NATS node or this service is unavailable,
 * it must call the service.
 */
export const startHeartbeat = (bus: Bus, log: Logger): Running => {
  const stopping = new AbortController();
  let failing = false;
  const sendHeartbeat = async (): Promise<void> => {
    const readAt = performance.now();
    try {
      const seq = await lastSequence(bus);
      const ageMs = Math.round(performance.now() - readAt);
      if (stopping.signal.aborted) return;
      if (ageMs > ageMsMax) throw new Error(`the state of EVT_KEYS took ${ageMs} ms, so it may be old`);
      bus.nc.publish(subjects.keysHeartbeat, JSON.stringify({ seq }));
      if (failing) log.info('the heartbeat works again');
      failing = false;
    } catch (error) {
      if (!failing && !stopping.signal.aborted)
        log.warn({ err: error }, 'no heartbeat: gateways verify every key with this service');
      failing = true;
    }
  };
  const heartbeatLoop = (async () => {
    while (!stopping.signal.aborted) {
      await sendHeartbeat();
      await delay(heartbeatMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await heartbeatLoop;
    },
  };
};

const lastSequence = async (bus: Bus): Promise<number> => {
  const { last_seq } = await withTimeout(readTimeoutMs, streamState(bus, 'EVT_KEYS'), () => {
    throw new Error(`no answer within ${readTimeoutMs} ms`);
  });
  return last_seq;
};
