import { planTerms } from '@almanac/contracts';
import { processVariables } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans'),
});
export type KeysConfig = z.output<typeof config>;
