import type { SoldPlanId } from '@almanac/contracts';
import { ConfigError, variable } from '@almanac/runtime';
import { z } from 'zod';

/** Without STRIPE_SECRET_KEY nothing is charged (stub mode). */
export const stripeVariables = {
  STRIPE_SECRET_KEY: variable
    .text()
    .optional()
    .describe('secret key of Stripe; without it nothing is charged (stub mode)'),
  STRIPE_WEBHOOK_SECRET: variable
    .text()
    .optional()
    .describe('signing secret of the webhook endpoint `/webhooks/stripe`; required with a secret key'),
  STRIPE_PRICE_PRO: variable
    .text()
    .optional()
    .describe('id of a monthly price of the plan pro; without it each checkout creates one'),
  STRIPE_PRICE_FULL_BOOK: variable
    .text()
    .optional()
    .describe('id of a monthly price of the plan full_book; without it each checkout creates one'),
  STRIPE_RETURN_URL: variable
    .url()
    .default('http://127.0.0.1:8080/docs')
    .describe('page to which Stripe sends buyers back'),
  STRIPE_GRACE_DAYS: variable.days(7).describe('days for which a plan continues after a failed renewal'),
  STRIPE_API_URL: variable.url().optional().describe('address of a fake Stripe for tests; never set it in production'),
};

const given = z.object(stripeVariables);
export type StripeVariables = z.output<typeof given>;

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: Readonly<Partial<Record<SoldPlanId, string>>>;
  readonly returnUrl: string;
  /** Undefined for Stripe itself. */
  readonly apiUrl: string | undefined;
}

/** Null in stub mode. Throws a ConfigError for a secret key without a webhook secret. */
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
