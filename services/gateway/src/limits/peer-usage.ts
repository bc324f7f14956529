import { type Redis, redisChannels, subscribingClient } from '@almanac/redis';
import type { Logger } from '@almanac/runtime';

export interface PeerUsage {
  /** Since when all messages are received, on the monotonic clock. Infinity while they are not. */
  sinceMs(): number;
  stop(): void;
}

export interface PeerUsageOptions {
  readonly redis: Redis;
  readonly gateway: string;
  readonly log: Logger;
  /** Called when another gateway left `free` requests of an account's window. */
  readonly onUsage: (account: string, free: number) => void;
  /** Called when a gateway has started. */
  readonly onJoined: () => void;
}

/** Uses a separate connection, because a subscribed one cannot do anything else. */
export const watchPeerUsage = ({ redis, gateway, log, onUsage, onJoined }: PeerUsageOptions): PeerUsage => {
  let sinceMs = Number.POSITIVE_INFINITY;
  const listening = subscribingClient(redis);
  listening.on('message', (_channel: string, text: string) => {
    const [account = '', free, by] = text.split(' ');
    if (free === undefined) return onJoined();
    if (by !== gateway) onUsage(account, Number(free));
  });
  listening.on('close', () => (sinceMs = Number.POSITIVE_INFINITY));
  // The other connection reports that Redis is unavailable.
  listening.on('error', (error) => log.debug({ err: error }, 'the usage of other gateways cannot be received'));
  listening.on('ready', () => {
    listening.subscribe(redisChannels.leaseUsage).then(
      () => (sinceMs = performance.now()),
      (error: unknown) => {
        log.warn({ err: error }, 'could not subscribe to the usage of other gateways');
        listening.disconnect(true);
      },
    );
  });
  return { sinceMs: () => sinceMs, stop: () => listening.disconnect() };
};
