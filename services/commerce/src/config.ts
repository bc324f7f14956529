import { freeCredits, planTerms } from '@almanac/contracts';
import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans'),
  FREE_CREDITS: variable.whole(freeCredits).describe('free export credits of a new account'),
  SWEEP_AFTER_S: variable
    .whole(120)
    .describe('age of a reservation whose export is looked for; longer than the longest POST /exports'),
  SWEEP_EVERY_S: variable.whole(15).refine((seconds) => seconds > 0, 'must be at least 1'),
});
export type CommerceConfig = z.output<typeof config>;
