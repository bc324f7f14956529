import { lowDiskSpaceFault } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';
import { z } from 'zod';
import type { ClickHouse } from './connect.js';
import { rows } from './query.js';

const disk = z.object({ name: z.string(), free: z.coerce.number(), total: z.coerce.number() });
/** The free space of a disk in an object store is unknown. */
const disksSql = `SELECT name, toString(free_space) AS free, toString(total_space) AS total
FROM system.disks WHERE is_remote = 0 AND total_space > 0`;

/** A sentence about the first disk with little free space. Null: none. */
export const diskFault = async (clickhouse: ClickHouse): Promise<string | null> => {
  const disks = await rows(clickhouse, { sql: disksSql }, disk);
  const faults = disks.map(({ name, free, total }) => lowDiskSpaceFault({ name, freeBytes: free, totalBytes: total }));
  return faults.find((fault) => fault !== null) ?? null;
};

const cacheMs = 30_000;

/**
 * Runs a check only now and then, for a value that changes seldom. An unavailable server counts as no fault here,
 * because another check reports it. An error of the server is reported.
 */
export const cachedCheck = (check: () => Promise<string | null>): (() => Promise<string | null>) => {
  let cached: { readonly outcome: string | null; readonly at: number } | undefined;
  return async () => {
    if (cached !== undefined && performance.now() - cached.at < cacheMs) return cached.outcome;
    try {
      cached = { outcome: await check(), at: performance.now() };
      return cached.outcome;
    } catch (error) {
      return error instanceof ClickHouseError ? error.message : null;
    }
  };
};
