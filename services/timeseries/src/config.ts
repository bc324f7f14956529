import { planTerms } from '@almanac/contracts';
import { redisVariables } from '@almanac/redis';
import { clickhouseVariables, processVariables, readsWaiting, variable } from '@almanac/runtime';
import { z } from 'zod';

const atLeastOne = (fallback: number) => variable.whole(fallback).refine((value) => value > 0, 'must be at least 1');

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...redisVariables,
  PLAN_TERMS: planTerms,
  READS_AT_ONCE: atLeastOne(4).describe(
    'concurrent ClickHouse reads of this process, half of them for each account (a quarter beside other accounts); more would wait in ClickHouse and use its memory',
  ),
  READS_WAITING: readsWaiting,
  STREAMS_AT_ONCE: atLeastOne(4).describe(
    'concurrent long bulk reads of this process; each runs one ClickHouse query for as long as its client reads. More answer 503',
  ),
  TIMESERIES_FOLDER: variable
    .text()
    .optional()
    .describe(
      'folder of this process for slabs, the rows of markets that are read again, which may be lost; by default a temporary one that ends with the process',
    ),
  SLABS_MB: variable
    .whole(1_024)
    .describe('size of all slabs in MiB; the least recently used ones are deleted. 0 makes none'),
  MARKETS_KEPT: variable.whole(20_000).describe('markets that are cached with their data version; about 2 KB each'),
  PREVIEW_TTL_S: variable.whole(7 * 24 * 3_600).describe('lifetime of a prepared preview in Redis, in seconds'),
  PREVIEWS_MB: variable.whole(16).describe('memory for prepared previews; about 100 KB each'),
  PREVIEW_BEHIND_S: variable
    .whole(5)
    .describe('greatest age in seconds of the preview of a live market that is served while the next one is prepared'),
  PREVIEWS_AT_ONCE: atLeastOne(2).describe('previews that this process prepares concurrently for readers'),
  PREVIEWS_WAITING: variable
    .whole(200)
    .describe('previews that may wait for preparation; further requests answer `pending: true` and prepare nothing'),
  PREVIEW_AHEAD_H: variable
    .whole(48)
    .describe(
      'the preview of a market that settles is prepared ahead if its last observation is at most this many hours old; 0 turns it off',
    ),
  PREVIEWS_AHEAD: variable.whole(20_000).describe('markets that may wait in Redis for preparation ahead'),
});
export type TimeseriesConfig = z.output<typeof config>;
