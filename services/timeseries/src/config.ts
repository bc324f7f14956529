import { planTerms } from '@almanac/contracts';
import { clickhouseVariables, processVariables, redisVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

const atLeastOne = (fallback: number) => variable.whole(fallback).refine((value) => value > 0, 'must be at least 1');

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...redisVariables,
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans; says whose answers hold full books'),
  READS_AT_ONCE: atLeastOne(4).describe(
    'queries that this process has at ClickHouse at once; more only wait there, on its memory',
  ),
  MARKETS_KEPT: variable.whole(20_000).describe('markets whose entry and data version stay in memory; about 2 KB each'),
  PREVIEW_TTL_S: variable
    .whole(7 * 24 * 3_600)
    .describe('how long Redis keeps a ready preview; a new one is quickly made'),
  PREVIEWS_MB: variable.whole(16).describe('memory of this process for ready previews; about 100 KB each'),
  PREVIEW_BEHIND_S: variable
    .whole(5)
    .describe('how old the preview of a live market may be that is served while the next is prepared'),
  PREVIEWS_AT_ONCE: atLeastOne(2).describe('previews that this process prepares at once for readers'),
  PREVIEWS_WAITING: variable
    .whole(200)
    .describe('previews that wait for that; a reader beyond is told to ask again, and nothing is begun'),
  PREVIEW_AHEAD_H: variable
    .whole(48)
    .describe('a market that settles is prepared before anyone asks if its last observation is no older; 0 for none'),
  PREVIEWS_AHEAD: variable
    .whole(20_000)
    .describe('markets that wait in Redis for that; more are left to their readers'),
});
export type TimeseriesConfig = z.output<typeof config>;
