import { planTerms } from '@almanac/contracts';
import type { ObjectStoreConfig } from '@almanac/object-store';
import { redisVariables } from '@almanac/redis';
import { clickhouseVariables, objectStoreVariables, processVariables, readsWaiting, variable } from '@almanac/runtime';
import { z } from 'zod';

const { S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = objectStoreVariables;
/** Of the store in which the processes share slabs. */
const slabStoreVariables = {
  S3_ENDPOINT: S3_ENDPOINT.optional(),
  S3_REGION,
  S3_BUCKET: S3_BUCKET.optional(),
  S3_ACCESS_KEY_ID: S3_ACCESS_KEY_ID.optional(),
  S3_SECRET_ACCESS_KEY: S3_SECRET_ACCESS_KEY.optional(),
};

const variables = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...redisVariables,
  ...slabStoreVariables,
  PLAN_TERMS: planTerms,
  READS_CONCURRENT: variable
    .whole(4, 1)
    .describe(
      'concurrent ClickHouse reads of this process, half of them for each account (a quarter beside other accounts); more would wait in ClickHouse and use its memory',
    ),
  READS_WAITING: readsWaiting,
  STREAMS_CONCURRENT: variable
    .whole(4, 1)
    .describe(
      'concurrent queries of long bulk reads of this process. CSV and JSON lines of snapshots have one only while their client reads, in turns of accounts. Parquet, Arrow and trades have half of them at most, until their client has all',
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
  MARKETS_CACHED: variable.whole(20_000).describe('markets that are cached with their data version; about 2 KB each'),
  PREVIEW_TTL_S: variable.whole(7 * 24 * 3_600, 1).describe('lifetime of a prepared preview in Redis, in seconds'),
  PREVIEWS_MB: variable.whole(16).describe('memory for prepared previews; about 100 KB each'),
  PREVIEW_MAX_AGE_S: variable
    .whole(5)
    .describe('greatest age in seconds of the preview of a live market that is served while the next one is prepared'),
  PREVIEWS_CONCURRENT: variable.whole(2, 1).describe('previews that this process prepares concurrently for readers'),
  PREVIEWS_WAITING: variable
    .whole(200)
    .describe('previews that may wait for preparation; further requests answer `pending: true` and prepare nothing'),
  PREVIEW_AHEAD_H: variable
    .whole(48, 0, 1_000_000)
    .describe(
      'the preview and the slab of a market that settles are prepared ahead if its last observation is at most this many hours old. A market with older data gets its slabs after an import, while `SLABS_MB` has room. 0 turns both off',
    ),
  PREVIEWS_QUEUED: variable.whole(20_000).describe('markets that may wait in Redis for preparation ahead'),
});
export type TimeseriesConfig = z.output<typeof variables>;

/** Undefined without a key: then no process has the slabs of the others. */
export const objectStoreOf = (config: TimeseriesConfig): ObjectStoreConfig | undefined => {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = config;
  if (endpoint === undefined || bucket === undefined || id === undefined || secret === undefined) return undefined;
  return { ...config, S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret };
};

const storeNeeds = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_SECRET_ACCESS_KEY'] as const;

export const config = variables.check(({ value, issues }) => {
  if (value.S3_ACCESS_KEY_ID === undefined) return;
  for (const name of storeNeeds.filter((variable_) => value[variable_] === undefined)) {
    issues.push({ code: 'custom', input: undefined, path: [name], message: 'is needed with S3_ACCESS_KEY_ID' });
  }
});
