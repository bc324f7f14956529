import {
  clickhouseVariables,
  objectStoreVariables,
  processVariables,
  readsWaiting,
  stalenessVariables,
  variable,
} from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...objectStoreVariables,
  ...stalenessVariables,
  READS_CONCURRENT: variable
    .whole(4, 1)
    .describe(
      'concurrent ClickHouse reads of this process for dry runs and lists of exports, half of them for each account (a quarter beside other accounts)',
    ),
  READS_WAITING: readsWaiting,
  EXPORT_CONCURRENCY: variable.whole(2, 1).describe('files that this process prepares concurrently'),
  EXPORT_LARGE_ROWS: variable
    .whole(500_000)
    .describe('files with at least this many rows leave one worker of each process free for smaller ones'),
  EXPORT_ATTEMPTS: variable
    .whole(10, 1)
    .describe(
      'attempts to prepare a file before its exports fail; ten take about a minute. An unavailable store is no attempt',
    ),
  SWEEP_EVERY_S: variable
    .timerSeconds(3_600)
    .describe('seconds between sweeps of files, which remove objects that belong to no file'),
  SWEEP_AGE_S: variable
    .whole(86_400)
    .refine((seconds) => seconds >= 7_200, 'must be 7200 or more: a large file is uploaded for an hour')
    .describe('age in seconds at which an object without a file, or an unfinished upload, is removed'),
  EXPORT_FILES_MAX_AGE_DAYS: variable
    .days(0)
    .describe(
      'days after which a file is removed from the object store. The next download prepares it again. 0: never',
    ),
  EXPORT_FILES_UNUSED_DAYS: variable
    .days(0)
    .describe('days without a download after which a file is removed. The next download prepares it again. 0: never'),
  SLABS_MAX_AGE_DAYS: variable
    .days(30)
    .describe(
      'days after which the slabs of timeseries are removed from the object store; they are made again when needed. 0: never',
    ),
  LINK_TTL_S: variable.whole(900, 2, 604_800).describe('lifetime of a signed link in seconds'),
});
/** Configuration of the command that creates the bucket. Its key may create buckets. */
export const bucketConfig = z.object({
  ...objectStoreVariables,
  S3_GRANTEE: variable.text().optional(),
  S3_SLABS_GRANTEE: variable.text().optional(),
});

export type ExportConfig = z.output<typeof config>;
