import { eventPrice, freeCredits, planTerms } from '@almanac/contracts';
import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { stripeVariables } from './stripe/config.js';

export const config = z.object({
  ...processVariables,
  ...stripeVariables,
  PLAN_TERMS: planTerms,
  EVENT_PRICE: variable.whole(eventPrice).describe('price of one event in cents of a US dollar'),
  FREE_CREDITS: variable.whole(freeCredits).describe('free export credits of a new account'),
  SWEEP_AFTER_S: variable
    .whole(120)
    .describe(
      'age in seconds at which a reservation without an export is released; must exceed the longest POST /exports',
    ),
  SWEEP_EVERY_S: variable
    .timerSeconds(15)
    .describe(
      'seconds between sweeps for abandoned reservations and checkouts, and between checkpoints of the open accounts',
    ),
  CHECKOUT_SWEEP_AFTER_S: variable.whole(3_600, 1).describe('age in seconds at which an abandoned checkout ends'),
});
export type CommerceConfig = z.output<typeof config>;
