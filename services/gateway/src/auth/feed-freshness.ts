import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@almanac/bus';
import { endOf, hasReached, type StreamPosition, subjects } from '@almanac/bus';
import { keysHeartbeat, type KeysHeartbeat, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { withJitter } from '@almanac/runtime';
import type { Changes, Followed } from '../invalidate-on-changes.js';

/** Three missed heartbeats. Cached keys are then not current. */
export const heartbeatAgeMsMax = 750;

/** A follower may be behind a position for this long. With the time between heartbeats, a stall shows within a second. */
const behindMsMax = 500;

/** After a silence, a node's delayed heartbeats may arrive in a burst. They end long before this time. */
const settleMs = 1_000;

const catchUpPollMs = 50;
const catchUpRetryMs = 250;

export interface FeedFreshnessOptions {
  readonly log: Logger;
  readonly changes: Changes['followed'];
  /** Called when the connection is lost. */
  readonly onFeedLost: () => void;
}

/** Shows whether this process has received all changes, from the heartbeat of the keys service and the connection. */
export const watchFeedFreshness = (bus: Bus, options: FeedFreshnessOptions) => {
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let heartbeatSeq = Number.POSITIVE_INFINITY;
  let settledAt = Number.NEGATIVE_INFINITY;
  const { catalogue: ofCatalogue, ...others } = options.changes;
  const catchUp = watchCatchUp(bus, Object.values(others), options.log);
  const catalogueCatchUp = watchCatchUp(bus, [ofCatalogue], options.log);
  const catchUps = [catchUp, catalogueCatchUp];
  const followers = [
    watchFollower(options.changes.commerce, ({ commerce }) => commerce, options.log),
    watchFollower(options.changes.archive, ({ archive }) => archive, options.log),
  ];
  const catalogue = watchFollower(ofCatalogue, ({ catalog }) => catalog, options.log);
  const areFollowersCurrent = (now: number): boolean => followers.every((follower) => follower.isCurrent(now));
  const heartbeats = bus.nc.subscribe(subjects.keysHeartbeat, {
    callback: (error, message) => {
      const heartbeat = error === null ? keysHeartbeat.safeParse(parseJson(message.string())) : undefined;
      if (heartbeat?.success !== true)
        return options.log.warn({ err: error ?? heartbeat?.error }, 'a heartbeat cannot be read');
      const now = performance.now();
      if (now - heartbeatAt >= heartbeatAgeMsMax && heartbeatAt > Number.NEGATIVE_INFINITY) settledAt = now + settleMs;
      heartbeatAt = now;
      heartbeatSeq = heartbeat.data.seq;
      for (const follower of [...followers, catalogue]) follower.onHeartbeat(heartbeat.data, now);
    },
  });
  const connection = watchConnection(bus, {
    log: options.log,
    onLost: () => {
      for (const each of catchUps) each.lost();
      options.onFeedLost();
    },
    onBack: () => {
      for (const each of catchUps) each.begin();
    },
  });
  const isHeartbeatFresh = (now: number): boolean => !connection.isLost() && now - heartbeatAt < heartbeatAgeMsMax;
  const areChangesCurrent = (): boolean => {
    const now = performance.now();
    return isHeartbeatFresh(now) && catchUp.isDone() && areFollowersCurrent(now);
  };
  return {
    /**
     * EVT_KEYS was received up to the last heartbeat, which is younger than 750 ms and follows no silence. No other
     * follower is stalled: a key is cached with its plan.
     */
    areKeysCurrent: () => {
      const now = performance.now();
      const { following } = options.changes.keys;
      const isReceived = following.seq >= heartbeatSeq;
      return isHeartbeatFresh(now) && now >= settledAt && catchUp.isDone() && isReceived && areFollowersCurrent(now);
    },
    /** All changes up to the last connection were received, and later ones arrive. */
    areChangesCurrent,
    /** The same of the catalogue, which may be late while many markets are recorded. No other answer waits for it. */
    isCatalogueCurrent: () =>
      areChangesCurrent() && catalogueCatchUp.isDone() && catalogue.isCurrent(performance.now()),
    stop: () => {
      for (const each of catchUps) each.lost();
      heartbeats.unsubscribe();
    },
  };
};

interface ConnectionWatch {
  readonly log: Logger;
  readonly onLost: () => void;
  /** Both connections are back. */
  readonly onBack: () => void;
}

/** The connection for requests and the one of the streams. */
const watchConnection = (bus: Bus, { log, onLost, onBack }: ConnectionWatch) => {
  const lost = new Set<string>();
  const watch = async (name: 'nc' | 'streams'): Promise<void> => {
    for await (const { type } of bus[name].status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        lost.add(name);
        onLost();
      } else if (type === 'reconnect') {
        lost.delete(name);
        if (lost.size === 0) onBack();
      }
    }
  };
  Promise.all([watch('nc'), watch('streams')]).catch((error: unknown) =>
    log.error({ err: error }, 'the status of the NATS connection can no longer be watched'),
  );
  return { isLost: () => lost.size > 0 };
};

/**
 * Notices that a follower stalls although the connection lives. Under constant change a follower is always a little
 * behind the last heartbeat, so it only must reach each position in time.
 */
const watchFollower = (
  { stream, following }: Followed,
  positionOf: (heartbeat: KeysHeartbeat) => number | readonly number[] | undefined,
  log: Logger,
) => {
  let reportedAt: number | undefined;
  let behind: { readonly end: StreamPosition; readonly sinceMs: number } | undefined;
  let isStalled = false;
  const isCurrent = (now: number): boolean => {
    if (behind !== undefined && hasReached(following.position, behind.end)) behind = undefined;
    const isBehind = behind !== undefined && now - behind.sinceMs >= behindMsMax;
    // A keys service of an older release sends no such position.
    const isUnknown = reportedAt !== undefined && now - reportedAt >= heartbeatAgeMsMax;
    return !isBehind && !isUnknown;
  };
  return {
    isCurrent,
    onHeartbeat: (heartbeat: KeysHeartbeat, now: number): void => {
      const position = positionOf(heartbeat);
      if (position !== undefined) {
        reportedAt = now;
        const end = typeof position === 'number' ? [position] : position;
        // A restored stream can be shorter than before.
        if (hasReached(following.position, end)) behind = undefined;
        else behind ??= { end, sinceMs: now };
      }
      const wasStalled = isStalled;
      isStalled = !isCurrent(now);
      if (isStalled && !wasStalled) log.warn({ stream }, 'changes arrive late; cached answers are not used');
      if (!isStalled && wasStalled) log.info({ stream }, 'changes arrive in time again');
    },
  };
};

/**
 * After a reconnect, the consumers deliver what this process missed, some after seconds. Until they have reached the
 * ends of their streams, cached values are not used. Afterwards they are current, so they need not be loaded again.
 */
const watchCatchUp = (bus: Bus, followed: readonly Followed[], log: Logger) => {
  let round = 0;
  let done = true;
  const reached = async (): Promise<() => boolean> => {
    const ends = await Promise.all(
      followed.map(async ({ stream, following }) => {
        const end = await endOf(bus, stream);
        return () => hasReached(following.position, end);
      }),
    );
    return () => ends.every((isReached) => isReached());
  };
  const catchUp = async (own: number): Promise<void> => {
    for (let isReached: (() => boolean) | undefined; own === round;) {
      try {
        isReached ??= await reached();
      } catch (error) {
        log.debug({ err: error }, 'the ends of the streams could not be read after a reconnect');
      }
      if (own !== round) return;
      if (isReached?.() === true) return void (done = true);
      await delay(withJitter(isReached === undefined ? catchUpRetryMs : catchUpPollMs));
    }
  };
  return {
    isDone: () => done,
    lost: () => {
      round += 1;
      done = false;
    },
    begin: () => {
      round += 1;
      void catchUp(round);
    },
  };
};
