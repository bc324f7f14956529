import { lowDiskSpaceFault } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';
import { z } from 'zod';
import type { ClickHouse } from './connect.js';
import { appliedMigrations, knownMigrations } from './migrate.js';
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

const unknownTable = '60';
const accessDenied = '497';

/**
 * A sentence about migrations that this release needs and the schema lacks. Null: complete. A newer schema is
 * complete, because a migration removes nothing. A user that may not read the table gets null.
 */
export const schemaFault = async (clickhouse: ClickHouse): Promise<string | null> => {
  const [known, applied] = await Promise.all([knownMigrations(), appliedOrDenied(clickhouse)]);
  if (applied === null) return null;
  const missing = known.filter((name) => !applied.includes(name));
  return missing.length === 0 ? null : `the schema lacks ${missing.join(', ')}: run the migrations`;
};

/** A sentence about migrations of a newer release. Null: none. */
export const newerSchema = async (clickhouse: ClickHouse): Promise<string | null> => {
  const [known, applied] = await Promise.all([knownMigrations(), appliedOrDenied(clickhouse)]);
  const later = (applied ?? []).filter((name) => !known.includes(name));
  return later.length === 0 ? null : `the schema is newer than this release: it has ${later.join(', ')}`;
};

/** Null if this user may not read the table. */
const appliedOrDenied = async (clickhouse: ClickHouse): Promise<readonly string[] | null> => {
  try {
    return await appliedMigrations(clickhouse);
  } catch (error) {
    if (error instanceof ClickHouseError && error.code === unknownTable) return [];
    if (error instanceof ClickHouseError && error.code === accessDenied) return null;
    throw error;
  }
};
