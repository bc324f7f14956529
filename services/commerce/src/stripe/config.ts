import type { SoldPlanId } from '@almanac/contracts';
import { ConfigError, variable } from '@almanac/runtime';
import { z } from 'zod';

/** Without STRIPE_SECRET_KEY nothing is charged: stub mode. */
export const stripeVariables = {
  STRIPE_SECRET_KEY: variable.text().optional().describe('empty: stub mode, what is asked for is had without money'),
  STRIPE_WEBHOOK_SECRET: variable.text().optional().describe('of the endpoint /webhooks/stripe; needed with the key'),
  STRIPE_PRICE_PRO: variable.text().optional().describe('id of a monthly price; without it one is made as it is sold'),
  STRIPE_PRICE_FULL_BOOK: variable.text().optional().describe('the same of the plan full_book'),
  STRIPE_RETURN_URL: variable
    .url()
    .default('http://127.0.0.1:8080/docs')
    .describe('where a buyer goes from a page of Stripe'),
  STRIPE_GRACE_DAYS: variable.whole(7).describe('days for which a plan is kept when its renewal failed'),
  STRIPE_API_URL: variable.url().optional().describe('a stand-in for Stripe; never in production'),
};

const given = z.object(stripeVariables);
export type StripeVariables = z.output<typeof given>;

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: Readonly<Partial<Record<SoldPlanId, string>>>;
  readonly returnUrl: string;
  /** Undefined: Stripe itself. */
  readonly apiUrl: string | undefined;
}

/** Null in stub mode. Throws a ConfigError for a key without the secret of its webhooks. */
export const stripeSettings = (variables: StripeVariables): StripeSettings | null => {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = variables;
  if (secretKey === undefined) return null;
  if (webhookSecret === undefined) {
    throw new ConfigError('STRIPE_SECRET_KEY is given, so STRIPE_WEBHOOK_SECRET must be: who pays would get nothing.');
  }
  const { STRIPE_PRICE_PRO: pro, STRIPE_PRICE_FULL_BOOK: fullBook } = variables;
  return {
    secretKey,
    webhookSecret,
    prices: { ...(pro === undefined ? {} : { pro }), ...(fullBook === undefined ? {} : { full_book: fullBook }) },
    returnUrl: variables.STRIPE_RETURN_URL,
    apiUrl: variables.STRIPE_API_URL,
  };
};
