import { type Redis, redisChannels } from '@almanac/redis';
import type { Logger } from '@almanac/runtime';

/** What other gateways take, as they tell it. */
export interface PeerUsage {
  /** When this began to hear everything, by the process' own clock; Infinity while it does not. */
  sinceMs(): number;
  stop(): void;
}

export interface PeerUsageOptions {
  readonly redis: Redis;
  readonly gateway: string;
  readonly log: Logger;
  /** Another gateway left that much of an account's window. */
  readonly onUsage: (account: string, free: number) => void;
}

/** Listens on a connection of its own, since one that listens can do nothing else. */
export const watchPeerUsage = ({ redis, gateway, log, onUsage }: PeerUsageOptions): PeerUsage => {
  let sinceMs = Number.POSITIVE_INFINITY;
  const listening = redis.duplicate({ autoResubscribe: false });
  listening.on('message', (_channel: string, text: string) => {
    const [account = '', free, by] = text.split(' ');
    if (by !== gateway) onUsage(account, Number(free));
  });
  listening.on('close', () => (sinceMs = Number.POSITIVE_INFINITY));
  // The other connection tells that Redis is away.
  listening.on('error', (error) => log.debug({ err: error }, 'nothing is heard of other gateways'));
  listening.on('ready', () => {
    listening.subscribe(redisChannels.leaseUsage).then(
      () => (sinceMs = performance.now()),
      (error: unknown) => {
        log.warn({ err: error }, 'could not listen to other gateways');
        listening.disconnect(true);
      },
    );
  });
  return { sinceMs: () => sinceMs, stop: () => listening.disconnect() };
};
