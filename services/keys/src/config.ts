import { planTerms } from '@almanac/contracts';
import { redisVariables } from '@almanac/redis';
import { processVariables } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...redisVariables,
  PLAN_TERMS: planTerms,
});
export type KeysConfig = z.output<typeof config>;
