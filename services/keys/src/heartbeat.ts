import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, endOf, ensureHeartbeatStream, type Running, storeHeartbeat, subjects } from '@almanac/bus';
import type { KeysHeartbeat, StreamName } from '@almanac/contracts';
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

/** Throws if the server that answered may have lost its cluster. */
export type Confirm = () => Promise<void>;

/**
 * With several replicas, a leader that lost the others still reports its old position, but can no longer store a
 * message (docs/decisions/047-positions-of-a-partitioned-leader.md). One replica has no other leader.
 */
export const confirmMajority = async (bus: Bus): Promise<Confirm> => {
  if (bus.replicas === 1) return () => Promise.resolve();
  await ensureHeartbeatStream(bus);
  return () => storeHeartbeat(bus, ageMsMax);
};

/**
 * Sends the last sequences of EVT_KEYS, EVT_COMMERCE, EVT_ARCHIVE and EVT_CATALOG at their leaders to every gateway, four
 * times a second. A gateway that has received these sequences may use its cache. Without heartbeats, because its NATS node or
 * this service is unavailable, it must call the service.
 */
export const startHeartbeat = (bus: Bus, log: Logger, confirm: Confirm): Running => {
  const stopping = new AbortController();
  let failing = false;
  const sendHeartbeat = async (): Promise<void> => {
    const readAt = performance.now();
    try {
      const heartbeat = await readPositions(bus);
      await confirm();
      const ageMs = Math.round(performance.now() - readAt);
      if (stopping.signal.aborted) return;
      if (ageMs > ageMsMax) throw new Error(`the positions of the streams took ${ageMs} ms, so it may be old`);
      bus.nc.publish(subjects.keysHeartbeat, JSON.stringify(heartbeat));
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

const readPositions = async (bus: Bus): Promise<KeysHeartbeat> => {
  // Only keys need this service. Without the others, gateways use no cached answers.
  const other = (stream: StreamName) => lastSequences(bus, stream, 0.8 * ageMsMax).catch(() => undefined);
  const [keys, commerce, archive, catalog] = await Promise.all([
    lastSequences(bus, 'EVT_KEYS', readTimeoutMs),
    other('EVT_COMMERCE'),
    other('EVT_ARCHIVE'),
    other('EVT_CATALOG'),
  ]);
  return { seq: keys[0], commerce: commerce?.[0], archive: oneOrAll(archive), catalog: oneOrAll(catalog) };
};

const oneOrAll = (position: [number, ...number[]] | undefined) => (position?.length === 1 ? position[0] : position);

/** One for each partition. */
const lastSequences = async (bus: Bus, stream: StreamName, timeoutMs: number): Promise<[number, ...number[]]> => {
  const [first, ...others] = await withTimeout(timeoutMs, endOf(bus, stream), () => {
    throw new Error(`no answer about ${stream} within ${timeoutMs} ms`);
  });
  if (first === undefined) throw new Error(`${stream} has no partition`);
  return [first, ...others];
};
