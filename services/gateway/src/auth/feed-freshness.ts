import type { Bus, Following } from '@almanac/bus';
import { hasReached, type StreamPosition, subjects } from '@almanac/bus';
import { keysHeartbeat, type KeysHeartbeat, parseJson } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import type { Changes, Followed } from '../invalidate-on-changes.js';
import { senderClocks } from './sender-clocks.js';

/** A follower may be behind a position for this long. With the time between heartbeats, a stall shows within a second. */
const behindMsMax = 500;

/** Positions of heartbeats that a follower has not reached. Older ones are forgotten. */
const pendingMax = 160;

export interface FeedFreshnessOptions {
  readonly log: Logger;
  readonly changes: Pick<Changes, 'followed' | 'receivedKeys'>;
  /** Called when the connection is lost. */
  readonly onFeedLost: () => void;
  /** How long cached keys are used without evidence that no revocation is missing. */
  readonly revocationMs: number;
  /** How long cached answers and plans are used without evidence that no change is missing. */
  readonly staleMs: number;
}

/**
 * Shows what this process may answer from memory (docs/decisions/117-evidence-for-caches.md). Evidence is a heartbeat whose
 * position the follower has reached: up to the time of the heartbeat, nothing is missing. How long this is enough is a
 * bound. A lost connection or an election of a leader takes no evidence away, it only brings no new one.
 */
export const watchFeedFreshness = (bus: Bus, options: FeedFreshnessOptions) => {
  const { log, revocationMs, staleMs } = options;
  const { followed, receivedKeys } = options.changes;
  const clocks = senderClocks();
  let receivedAt = Number.NEGATIVE_INFINITY;
  let wereCurrent = false;
  const { stream, following } = followed.keys;
  const received = {
    get position() {
      return receivedKeys.position;
    },
    hurry: following.hurry,
  };
  const keys = watchFollower({ stream, following: received }, ({ seq }) => seq, log);
  const commerce = watchFollower(followed.commerce, (heartbeat) => heartbeat.commerce, log);
  const archive = watchFollower(followed.archive, (heartbeat) => heartbeat.archive, log);
  const catalogue = watchFollower(followed.catalogue, (heartbeat) => heartbeat.catalog, log);
  const heartbeats = bus.nc.subscribe(subjects.keysHeartbeat, {
    callback: (error, message) => {
      const heartbeat = error === null ? keysHeartbeat.safeParse(parseJson(message.string())) : undefined;
      if (heartbeat?.success !== true)
        return log.warn({ err: error ?? heartbeat?.error }, 'a heartbeat cannot be read');
      const now = performance.now();
      receivedAt = now;
      receivedKeys.receive(heartbeat.data.changes ?? []);
      const trueAt = clocks.timeOf(heartbeat.data, now);
      if (trueAt === undefined) return;
      for (const follower of [keys, commerce, archive, catalogue]) follower.onHeartbeat(heartbeat.data, trueAt, now);
    },
  });
  watchConnection(bus, options);
  return {
    /** Every revocation that was answered more than `revocationMs` ago was received, and the plans are recent. */
    areKeysCurrent: () => {
      const now = performance.now();
      const evidenceMs = keys.evidenceMs(now);
      const areCurrent = evidenceMs < revocationMs && commerce.evidenceMs(now) < staleMs;
      if (areCurrent !== wereCurrent) {
        const facts = { evidence_ms: evidenceMs, heartbeat_ms: now - receivedAt, not_received: keys.pendingCount() };
        if (areCurrent) log.info(facts, 'cached keys are used again');
        else log.warn(facts, 'cached keys are not used: it is not known whether one was revoked');
        wereCurrent = areCurrent;
      }
      return areCurrent;
    },
    /** The changes of data and purchases were received, as far as this process can know. */
    areChangesCurrent: () => {
      const now = performance.now();
      return [commerce, archive].every((follower) => !follower.isBehind(now) && follower.evidenceMs(now) < staleMs);
    },
    /** The same of the catalogue, which may be late while many markets are recorded. No other answer waits for it. */
    isCatalogueCurrent: () => {
      const now = performance.now();
      return !catalogue.isBehind(now) && catalogue.evidenceMs(now) < staleMs;
    },
    stop: () => heartbeats.unsubscribe(),
  };
};

/** The connection for requests and the one of the streams. */
const watchConnection = (bus: Bus, { log, onFeedLost }: Pick<FeedFreshnessOptions, 'log' | 'onFeedLost'>): void => {
  const watch = async (name: 'nc' | 'streams'): Promise<void> => {
    for await (const { type } of bus[name].status())
      if (type === 'disconnect' || type === 'staleConnection') onFeedLost();
  };
  Promise.all([watch('nc'), watch('streams')]).catch((error: unknown) =>
    log.error({ err: error }, 'the status of the NATS connection can no longer be watched'),
  );
};

interface Pending {
  readonly end: StreamPosition;
  /** What the follower had reached then. */
  readonly reached: StreamPosition;
  readonly trueAt: number;
  readonly receivedAt: number;
}

/**
 * Compares a follower with the positions of heartbeats. Under constant change it is always a little behind the last one, so
 * it only must reach each in time.
 */
const watchFollower = (
  {
    stream,
    following,
  }: { readonly stream: Followed['stream']; readonly following: Pick<Following, 'position' | 'hurry'> },
  positionOf: (heartbeat: KeysHeartbeat) => number | readonly number[] | undefined,
  log: Logger,
) => {
  let evidenceAt = Number.NEGATIVE_INFINITY;
  let isReported = false;
  let pending: Pending[] = [];
  let isStalled = false;
  const settle = (): void => {
    const { position } = following;
    if (pending.length === 0) return;
    for (const { end, trueAt } of pending) if (hasReached(position, end)) evidenceAt = Math.max(evidenceAt, trueAt);
    pending = pending.filter(({ end }) => !hasReached(position, end));
  };
  const isBehind = (now: number): boolean => {
    settle();
    return pending[0] !== undefined && now - pending[0].receivedAt >= behindMsMax;
  };
  const isUnmoved = (): boolean =>
    pending[0] !== undefined && following.position.every((seq, at) => seq === pending[0]?.reached[at]);
  return {
    isBehind,
    pendingCount: () => pending.length,
    /** The age of the last evidence. */
    evidenceMs: (now: number): number => {
      settle();
      return now - evidenceAt;
    },
    onHeartbeat: (heartbeat: KeysHeartbeat, trueAt: number, now: number): void => {
      const position = positionOf(heartbeat);
      settle();
      // A stream that never was reported does not exist, as in a test.
      if (position === undefined && !isReported) evidenceAt = Math.max(evidenceAt, trueAt);
      if (position !== undefined) {
        isReported = true;
        const end = typeof position === 'number' ? [position] : position;
        if (hasReached(following.position, end)) {
          evidenceAt = Math.max(evidenceAt, trueAt);
          // A restored stream can be shorter than before.
          pending = [];
        } else pending = [...pending, { end, reached: following.position, trueAt, receivedAt: now }].slice(-pendingMax);
      }
      const wasStalled = isStalled;
      isStalled = isBehind(now);
      // A consumer that was lost with its server gets nothing. Its own watch notices that later. A slow one moves.
      if (isStalled && isUnmoved()) following.hurry();
      if (isStalled && !wasStalled) log.warn({ stream }, 'changes arrive late; cached answers are not used');
      if (!isStalled && wasStalled) log.info({ stream }, 'changes arrive in time again');
    },
  };
};
