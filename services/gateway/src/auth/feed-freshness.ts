import type { Bus, Following } from '@almanac/bus';
import { subjects } from '@almanac/bus';
import { keysHeartbeat, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';

/** Three missed heartbeats. Cached keys are then not current. */
export const heartbeatAgeMsMax = 750;

/** After a silence, a node's delayed heartbeats may arrive in a burst. They end long before this time. */
const settleMs = 1_000;

/**
 * The longest time in which an ordered consumer detects its loss at the server (two missed heartbeats) and is
 * recreated. Until then a reconnected gateway may miss changes.
 */
const resumeMs = 10_000;

export interface FeedFreshnessOptions {
  readonly log: Logger;
  readonly keys: Following;
  /** The sequence of EVT_KEYS when nothing was cached yet. */
  readonly startSeq: number;
  /** Called when the connection is lost: cached values may become outdated. */
  readonly onFeedLost: () => void;
}

/** Shows whether this process has received all changes, from the heartbeat of the keys service and the connection. */
export const watchFeedFreshness = (bus: Bus, options: FeedFreshnessOptions) => {
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let heartbeatSeq = Number.POSITIVE_INFINITY;
  let settledAt = Number.NEGATIVE_INFINITY;
  let connected = true;
  let steadyAt = Number.NEGATIVE_INFINITY;
  const heartbeats = bus.nc.subscribe(subjects.keysHeartbeat, {
    callback: (error, message) => {
      const heartbeat = error === null ? keysHeartbeat.safeParse(parseJson(message.string())) : undefined;
      if (heartbeat?.success !== true)
        return options.log.warn({ err: error ?? heartbeat?.error }, 'a heartbeat cannot be read');
      const now = performance.now();
      if (now - heartbeatAt >= heartbeatAgeMsMax && heartbeatAt > Number.NEGATIVE_INFINITY) settledAt = now + settleMs;
      heartbeatAt = now;
      heartbeatSeq = heartbeat.data.seq;
    },
  });
  const watching = (async () => {
    for await (const { type } of bus.nc.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        connected = false;
        options.onFeedLost();
      } else if (type === 'reconnect') {
        connected = true;
        steadyAt = performance.now() + resumeMs;
      }
    }
  })();
  watching.catch((error: unknown) =>
    options.log.error({ err: error }, 'the status of the NATS connection can no longer be watched'),
  );
  const isHeartbeatFresh = (now: number): boolean => connected && now - heartbeatAt < heartbeatAgeMsMax;
  return {
    /** EVT_KEYS was received up to the last heartbeat, which is younger than 750 ms and follows no silence. */
    areKeysCurrent: () => {
      const now = performance.now();
      return isHeartbeatFresh(now) && now >= settledAt && Math.max(options.keys.seq, options.startSeq) >= heartbeatSeq;
    },
    /** Connected for long enough, so changes of the archive arrive. */
    areChangesCurrent: () => {
      const now = performance.now();
      return isHeartbeatFresh(now) && now >= steadyAt;
    },
    stop: () => heartbeats.unsubscribe(),
  };
};
