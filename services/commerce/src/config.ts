import { eventPrice, freeCredits, planTerms } from '@almanac/contracts';
import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { stripeVariables } from './stripe/config.js';

const interval = (seconds: number) => variable.whole(seconds).refine((given) => given > 0, 'must be at least 1');

export const config = z.object({
  ...processVariables,
  ...stripeVariables,
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans'),
  EVENT_PRICE: variable.whole(eventPrice).describe('price of one event in cents of USD'),
  FREE_CREDITS: variable.whole(freeCredits).describe('free export credits of a new account'),
  SWEEP_AFTER_S: variable
    .whole(120)
    .describe('age of a reservation whose export is looked for; longer than the longest POST /exports'),
  SWEEP_EVERY_S: interval(15),
  CHECKOUT_SWEEP_AFTER_S: interval(3_600).describe('age of a checkout that was begun and that nobody went on with'),
});
export type CommerceConfig = z.output<typeof config>;
