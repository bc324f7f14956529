import { planTerms } from '@almanac/contracts';
import { clickhouseVariables, processVariables, redisVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...redisVariables,
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans; says whose answers hold full books'),
  READS_AT_ONCE: variable
    .whole(4)
    .refine((reads) => reads > 0, 'must be at least 1')
    .describe('queries that this process has at ClickHouse at once; more only wait there, on its memory'),
  MARKETS_KEPT: variable.whole(20_000).describe('markets whose entry and data version stay in memory; about 2 KB each'),
  PREVIEW_TTL_S: variable
    .whole(7 * 24 * 3_600)
    .describe('how long Redis keeps a ready preview; a new one is quickly made'),
  PREVIEWS_KEPT: variable.whole(200).describe('ready previews in the memory of this process; about 100 KB each'),
});
export type TimeseriesConfig = z.output<typeof config>;
