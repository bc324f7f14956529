import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, type Running, subjects } from '@almanac/bus';
import { type Logger, withTimeout } from '@almanac/runtime';

/** Gateways trust a verdict in memory for three missed beats, 750 ms. */
export const heartbeatMs = 250;

/**
 * How old what a beat says may be. A later answer is not told on: the key that was revoked since would live on for as
 * long as the answer took, and 750 ms more.
 */
const ageMsMax = 250;

/** A lost server leaves a question without an answer for seconds; the next one is asked before that. */
const readTimeoutMs = 1_000;

/**
 * Tells every gateway, four times a second, how far EVT_KEYS has got at its leader. A gateway that has seen as much
 * may answer from memory; one that hears nothing, since its NATS node or this service is gone, must ask.
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
      if (failing) log.info('the beat is back');
      failing = false;
    } catch (error) {
      if (!failing && !stopping.signal.aborted) log.warn({ err: error }, 'no beat: gateways ask for every key');
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
  const { state } = await withTimeout(readTimeoutMs, bus.jsm.streams.info('EVT_KEYS'), () => {
    throw new Error(`no answer within ${readTimeoutMs} ms`);
  });
  return state.last_seq;
};
