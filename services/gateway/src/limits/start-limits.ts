import { randomBytes } from 'node:crypto';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { Redis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { sharedLeases } from './leases.js';
import { limitMetrics } from './metrics.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { watchPeerUsage } from './peer-usage.js';

/** A gateway counts as stopped after three missed heartbeats. */
const presenceMs = 5_000;

export interface StartLimitsOptions {
  readonly redis: Redis;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly accountsMax: number;
  readonly runtime: Runtime;
}

/** Starts the rate limits of this process, with its heartbeat and the subscription to other gateways. */
export const startLimits = ({ redis, plans, accountsMax, runtime }: StartLimitsOptions): RateLimits => {
  const { log, health, onStop } = runtime;
  const gateway = randomBytes(6).toString('hex');
  const shared = sharedLeases(redis, gateway);
  const peerUsage = watchPeerUsage({
    redis,
    gateway,
    log,
    onUsage: (account, free) => limits.applyPeerUsage(account, free),
    onJoined: () => void bePresent(),
  });
  const limits: RateLimits = createRateLimits({
    plans,
    shared,
    accountsMax,
    gateways: shared.gateways,
    rank: shared.rank,
    nowMs: () => performance.now(),
    peerUpdatesSinceMs: () => peerUsage.sinceMs(),
    metrics: limitMetrics(health.metrics),
    log,
  });
  const bePresent = async (): Promise<void> => {
    try {
      await shared.present();
      limits.redisAnswers();
    } catch (error) {
      log.debug({ err: error }, 'could not write the heartbeat of this gateway');
    }
  };
  redis.on('ready', () => void bePresent());
  const presenceTimer = setInterval(() => void bePresent(), presenceMs);
  const connection = health.degradable.get('redis');
  const redisUnavailable = 'Redis does not answer; this gateway limits requests by itself';
  health.degradable.set('redis', async () => (await connection?.()) ?? (limits.isLocal() ? redisUnavailable : null));
  onStop('limits', async () => {
    clearInterval(presenceTimer);
    peerUsage.stop();
    await shared
      .leave()
      .catch((error: unknown) =>
        log.debug({ err: error }, 'could not remove this gateway from the list of running gateways'),
      );
  });
  return limits;
};
