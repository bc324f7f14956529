import { faultIn } from './client.js';

const keysMax = 3;

/**
 * Stripe repeats a failure under its idempotency key for a day, and a key that was used with another configuration
 * fails too. So the next key is tried. Use it only if a second call is harmless: nobody got the id of a page or
 * customer that a failed call may have created, and a page closes once.
 */
export const retryWithNewKey = async <T>(call: (key: string) => Promise<T>, id: string): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt === 1 ? id : `${id}.${attempt}`);
    } catch (error) {
      const details = faultIn(error)?.details;
      const isStuck =
        details?.type === 'StripeIdempotencyError' || (details?.replayed === true && (details.status ?? 0) >= 500);
      if (!isStuck || attempt === keysMax) throw error;
    }
  }
};
