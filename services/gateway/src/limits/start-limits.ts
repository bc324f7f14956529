import { randomBytes } from 'node:crypto';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { Redis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { sharedLeases } from './leases.js';
import { limitMetrics } from './metrics.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { takenElsewhere } from './taken-elsewhere.js';

/** A gateway that was not heard of for three of these is gone. */
const presenceMs = 5_000;

export interface StartLimitsOptions {
  readonly redis: Redis;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly accountsMax: number;
  readonly runtime: Runtime;
}

/** The limits of this process, who says that it is there and listens to the others. */
export const startLimits = ({ redis, plans, accountsMax, runtime }: StartLimitsOptions): RateLimits => {
  const { log, health, onStop } = runtime;
  const gateway = randomBytes(6).toString('hex');
  const shared = sharedLeases(redis, gateway);
  const taken = takenElsewhere({ redis, gateway, log, onTaken: (account, free) => limits.taken(account, free) });
  const limits: RateLimits = createRateLimits({
    plans,
    shared,
    accountsMax,
    gateways: shared.gateways,
    heardSinceMs: () => taken.sinceMs(),
    metrics: limitMetrics(health.metrics),
    log,
  });
  const bePresent = async (): Promise<void> => {
    try {
      await shared.present();
      limits.redisAnswers();
    } catch (error) {
      log.debug({ err: error }, 'could not say that this gateway is there');
    }
  };
  redis.on('ready', () => void bePresent());
  const beat = setInterval(() => void bePresent(), presenceMs);
  const connection = health.optional.get('redis');
  const silent = 'Redis does not answer; this gateway limits requests on its own';
  health.optional.set('redis', async () => (await connection?.()) ?? (limits.isLocal() ? silent : null));
  onStop('limits', async () => {
    clearInterval(beat);
    taken.stop();
    await shared.leave().catch((error: unknown) => log.debug({ err: error }, 'could not say that this gateway left'));
  });
  return limits;
};
