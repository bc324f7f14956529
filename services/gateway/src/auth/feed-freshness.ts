import type { Bus, Following } from '@almanac/bus';
import { subjects } from '@almanac/bus';
import { keysHeartbeat, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';

/** Three missed beats: what is in memory does not count without them. */
export const heartbeatAgeMsMax = 750;

/**
 * After a silence beats may come that a node held back, one after the other, each of them old. They are through long
 * before this.
 */
const settleMs = 1_000;

/**
 * The longest that an ordered consumer takes to notice that the server lost it (two missed heartbeats) and to make
 * itself anew. Until then a reconnected gateway may not know that something changed.
 */
const resumeMs = 10_000;

/** Whether what this process heard is all there is to hear. */
export interface FeedFreshness {
  /** The events of EVT_KEYS up to the last beat have been seen, that beat is younger than 750 ms, and it did not come right after a silence. */
  readonly areKeysCurrent: () => boolean;
  /** Connected for long enough, and hearing: changes of the archive arrive. */
  readonly areChangesCurrent: () => boolean;
  stop(): void;
}

export interface FeedFreshnessOptions {
  readonly log: Logger;
  /** The follower of EVT_KEYS. */
  readonly keys: Following;
  /** Sequence that EVT_KEYS had when nothing was in memory yet. */
  readonly startSeq: number;
  /** Called when the connection was lost: what is in memory may be old from here on. */
  readonly onFeedLost: () => void;
}

/** Listens to the beat of the keys service and to the connection itself. */
export const watchFeedFreshness = (bus: Bus, options: FeedFreshnessOptions): FeedFreshness => {
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let heartbeatSeq = Number.POSITIVE_INFINITY;
  let settledAt = Number.NEGATIVE_INFINITY;
  let connected = true;
  let steadyAt = Number.NEGATIVE_INFINITY;
  const heartbeats = bus.nc.subscribe(subjects.keysHeartbeat, {
    callback: (error, message) => {
      const heartbeat = error === null ? keysHeartbeat.safeParse(parseJson(message.string())) : undefined;
      if (heartbeat?.success !== true)
        return options.log.warn({ err: error ?? heartbeat?.error }, 'a beat cannot be read');
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
  watching.catch((error: unknown) => options.log.error({ err: error }, 'the connection is watched no more'));
  const isHeartbeatFresh = (now: number): boolean => connected && now - heartbeatAt < heartbeatAgeMsMax;
  return {
    areKeysCurrent: () => {
      const now = performance.now();
      return isHeartbeatFresh(now) && now >= settledAt && Math.max(options.keys.seq, options.startSeq) >= heartbeatSeq;
    },
    areChangesCurrent: () => {
      const now = performance.now();
      return isHeartbeatFresh(now) && now >= steadyAt;
    },
    stop: () => heartbeats.unsubscribe(),
  };
};
