import type { Bus, Following } from '@almanac/bus';
import { subjects } from '@almanac/bus';
import { keysBeat, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';

/** Three missed beats: what is in memory does not count without them. */
export const beatAgeMsMax = 750;

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
export interface Link {
  /** The events of EVT_KEYS up to the last beat have been seen, that beat is younger than 750 ms, and it did not come right after a silence. */
  readonly knowsKeys: () => boolean;
  /** Connected for long enough, and hearing: changes of the archive arrive. */
  readonly hearsChanges: () => boolean;
  stop(): void;
}

export interface LinkOptions {
  readonly log: Logger;
  /** The follower of EVT_KEYS. */
  readonly keys: Following;
  /** Sequence that EVT_KEYS had when nothing was in memory yet. */
  readonly startSeq: number;
  /** Called when the connection was lost: what is in memory may be old from here on. */
  readonly onLost: () => void;
}

/** Listens to the beat of the keys service and to the connection itself. */
export const watchLink = (bus: Bus, options: LinkOptions): Link => {
  let beatAt = Number.NEGATIVE_INFINITY;
  let beatSeq = Number.POSITIVE_INFINITY;
  let settledAt = Number.NEGATIVE_INFINITY;
  let connected = true;
  let steadyAt = Number.NEGATIVE_INFINITY;
  const beats = bus.nc.subscribe(subjects.keysBeat, {
    callback: (error, message) => {
      const beat = error === null ? keysBeat.safeParse(parseJson(message.string())) : undefined;
      if (beat?.success !== true) return options.log.warn({ err: error ?? beat?.error }, 'a beat cannot be read');
      const now = performance.now();
      if (now - beatAt >= beatAgeMsMax && beatAt > Number.NEGATIVE_INFINITY) settledAt = now + settleMs;
      beatAt = now;
      beatSeq = beat.data.seq;
    },
  });
  const watching = (async () => {
    for await (const { type } of bus.nc.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        connected = false;
        options.onLost();
      } else if (type === 'reconnect') {
        connected = true;
        steadyAt = performance.now() + resumeMs;
      }
    }
  })();
  watching.catch((error: unknown) => options.log.error({ err: error }, 'the connection is watched no more'));
  const beating = (now: number): boolean => connected && now - beatAt < beatAgeMsMax;
  return {
    knowsKeys: () => {
      const now = performance.now();
      return beating(now) && now >= settledAt && Math.max(options.keys.seq, options.startSeq) >= beatSeq;
    },
    hearsChanges: () => {
      const now = performance.now();
      return beating(now) && now >= steadyAt;
    },
    stop: () => beats.unsubscribe(),
  };
};
