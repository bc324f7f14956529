import { faultIn } from './client.js';

const keysMax = 3;

/**
 * Stripe keeps a failure under its idempotency key for a day. What it says again will not get better, nor will a key that
 * was used when the configuration was another one, so the next key is tried. Only for calls of which a second one does
 * no harm: of a page or a customer that the failed call may have made nobody ever had the id, and a page is closed once.
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
