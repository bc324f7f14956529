import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, Running } from '../bus.js';
import { moveToAnotherServer } from './leave-lame-duck.js';
import { subjects } from '../names.js';

const everyMs = 250;
/**
 * The keys service itself may be at the server that is cut off or frozen. It leaves first, so that the others have its heartbeats again and
 * stay where they are. A gateway has its evidence about keys again soon after `REVOCATION_MS` (2 s): its requests wait for it.
 */
const silentMsOf = ({ user }: Pick<Bus, 'user'>): number => (user === 'keys' ? 1_000 : 1_750);
/** While no keys service runs, no server has heartbeats. Then each is left less and less often. */
const silentMsMax = 60_000;
/** The commands of a server that is cut off have no answers. */
const answersMs = 100;
/** The two connections of a process may be at two servers for this long. */
const apartMsMax = 5_000;

/**
 * Connects to another server when the heartbeats of the keys service, which come four times a second, no longer arrive: the
 * server answers, but may be cut off from the others. For several servers.
 */
export const leaveCutOffServer = (
  { nc, streams, user }: Pick<Bus, 'nc' | 'streams' | 'user'>,
  onLeave: (server: string) => void,
): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let receivedAt: number | undefined;
  const silentMs = silentMsOf({ user });
  let waitMs = silentMs;
  const heartbeats = nc.subscribe(subjects.keysHeartbeat, {
    callback: (error) => {
      // An older users.conf does not allow it.
      if (error !== null) return;
      receivedAt = performance.now();
      waitMs = silentMs;
    },
  });
  const isSilent = (): boolean => receivedAt !== undefined && performance.now() - receivedAt >= waitMs;
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
    receivedAt = performance.now();
    waitMs = Math.min(2 * waitMs, silentMsMax);
    const there = [nc, streams].filter((one) => one.getServer() === server && !one.isClosed());
    await Promise.all(there.map((one) => moveToAnotherServer(one, answersMs)));
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
