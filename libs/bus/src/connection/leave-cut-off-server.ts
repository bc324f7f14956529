import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, Running } from '../bus.js';
import { moveToAnotherServer } from './leave-lame-duck.js';
import { measuredLimit, type MeasuredLimitOptions } from './measured-limit.js';
import { subjects } from '../names.js';

const everyMs = 50;
/**
 * The keys service itself may be at the server that is cut off or frozen. It leaves first, so that the others have its heartbeats again and
 * stay where they are. A gateway has its evidence about keys again before `REVOCATION_MS` (2 s) is over, so no request waits for it.
 */
const silenceOf = ({ user }: Pick<Bus, 'user'>): MeasuredLimitOptions =>
  user === 'keys' ? { leastMs: 400, mostMs: 1_000, times: 1.25 } : { leastMs: 550, mostMs: 1_750, times: 1.75 };
/** While no keys service runs, no server has heartbeats. Then each is left less and less often. */
const silentMsMax = 60_000;
/** A server that was just reached is silent after a second: it may be the next one that is cut off. */
const newServerMs = 1_000;
/** The commands of a server that is cut off have no answers. */
const answersMs = 100;
/**
 * The two connections of a process may be at two servers for this long. The keys service receives its own heartbeats, which the servers of
 * the one connection confirm and that of the other sends. So if the other one is cut off, it alone has them.
 */
const apartMsOf = ({ user }: Pick<Bus, 'user'>): number => (user === 'keys' ? 1_000 : 5_000);

/** Heartbeats for this long without a longer pause show that the server works. A slow one, or a busy machine, lets some through. */
const steady = { forMs: 5_000, pauseMsMax: 1_000 } as const;

/**
 * For how long no heartbeat may arrive before the server is left. It follows the usual time between heartbeats, and is longer and
 * longer once each server was tried: each move costs requests that are on their way, so a process that finds no good server
 * stays where it is.
 */
export const allowedSilence = (options: MeasuredLimitOptions) => {
  const usual = measuredLimit(options);
  /** Since a move, until heartbeats are steady again. */
  let movedMs: number | undefined;
  let hasReceived = false;
  let [steadySinceMs, lastMs] = [Infinity, -Infinity];
  const left = new Set<string>();
  return {
    get ms() {
      if (movedMs === undefined || (movedMs === newServerMs && hasReceived)) return usual.ms;
      return hasReceived ? Math.max(movedMs, usual.ms) : movedMs;
    },
    received: (nowMs: number): void => {
      const pauseMs = nowMs - lastMs;
      if (pauseMs < Infinity) usual.add(pauseMs);
      steadySinceMs = pauseMs > steady.pauseMsMax ? nowMs : Math.min(steadySinceMs, nowMs);
      lastMs = nowMs;
      hasReceived = true;
      if (nowMs - steadySinceMs < steady.forMs) return;
      left.clear();
      movedMs = undefined;
    },
    left: (server: string): void => {
      movedMs = left.has(server) ? Math.min(2 * (movedMs ?? usual.ms), silentMsMax) : newServerMs;
      steadySinceMs = Infinity;
      hasReceived = false;
      left.add(server);
    },
  };
};

/**
 * Connects to another server when the heartbeats of the keys service, which come ten times a second, no longer arrive: the
 * server answers, but may be cut off from the others. For several servers.
 */
export const leaveCutOffServer = (
  { nc, streams, user }: Pick<Bus, 'nc' | 'streams' | 'user'>,
  onLeave: (server: string) => void,
): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let receivedAt: number | undefined;
  const silence = allowedSilence(silenceOf({ user }));
  const apartMsMax = apartMsOf({ user });
  const heartbeats = nc.subscribe(subjects.keysHeartbeat, {
    callback: (error) => {
      // An older users.conf does not allow it.
      if (error !== null) return;
      receivedAt = performance.now();
      silence.received(receivedAt);
    },
  });
  const isSilent = (): boolean => receivedAt !== undefined && performance.now() - receivedAt >= silence.ms;
  const look = async (): Promise<void> => {
    if (!isSilent()) return;
    // A busy process may not have read them yet. Without an answer, the connection is left for another reason.
    const answers = await nc.rtt().then(
      () => true,
      () => false,
    );
    if (!answers || !isSilent() || signal.aborted || nc.isClosed() || nc.isDraining()) return;
    const server = nc.getServer();
    onLeave(server);
    silence.left(server);
    // One after the other: the second one follows the first to its server.
    const there = [nc, streams].filter((one) => one.getServer() === server && !one.isClosed());
    for (const one of there) await moveToAnotherServer(one, answersMs);
    receivedAt = performance.now();
  };
  let apartSince: number | undefined;
  /** Heartbeats arrive at one connection. They speak for the other one at the same server. */
  const bringTogether = async (): Promise<void> => {
    const isApart = nc.getServer() !== streams.getServer();
    apartSince = isApart ? (apartSince ?? performance.now()) : undefined;
    if (apartSince === undefined || performance.now() - apartSince < apartMsMax) return;
    apartSince = undefined;
    await moveToAnotherServer(streams);
  };
  const watching = (async () => {
    while (!signal.aborted && !nc.isClosed()) {
      // They end early only with the connection.
      await look().catch(() => undefined);
      await bringTogether().catch(() => undefined);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      heartbeats.unsubscribe();
      await watching;
    },
  };
};
