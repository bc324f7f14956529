import { ClickHouseError } from '@clickhouse/client';
import type { ClickHouse } from './connect.js';
import { appliedMigrations, knownMigrations } from './migrate.js';

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
