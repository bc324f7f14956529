import { ClickHouseError } from '@clickhouse/client';
import type { ClickHouse } from './connect.js';
import { appliedMigrations, knownMigrations } from './migrate.js';

const unknownTable = '60';
const accessDenied = '497';

/**
 * What the schema lacks of what this release needs, a sentence; null where it has all. A newer schema has all: a migration
 * never takes away. Whoever may not look is not told, and goes on.
 */
export const schemaFault = async (clickhouse: ClickHouse): Promise<string | null> => {
  const [known, applied] = await Promise.all([knownMigrations(), appliedOrDenied(clickhouse)]);
  if (applied === null) return null;
  const missing = known.filter((name) => !applied.includes(name));
  return missing.length === 0 ? null : `the schema lacks ${missing.join(', ')}: run the migrations`;
};

/** What a newer release has made of the schema, a sentence; null where it is this one's. */
export const newerSchema = async (clickhouse: ClickHouse): Promise<string | null> => {
  const [known, applied] = await Promise.all([knownMigrations(), appliedOrDenied(clickhouse)]);
  const later = (applied ?? []).filter((name) => !known.includes(name));
  return later.length === 0 ? null : `the schema is newer than this release: it has ${later.join(', ')}`;
};

/** Null where this user may not ask. */
const appliedOrDenied = async (clickhouse: ClickHouse): Promise<readonly string[] | null> => {
  try {
    return await appliedMigrations(clickhouse);
  } catch (error) {
    if (error instanceof ClickHouseError && error.code === unknownTable) return [];
    if (error instanceof ClickHouseError && error.code === accessDenied) return null;
    throw error;
  }
};
