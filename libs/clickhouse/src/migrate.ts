import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { clusterStatements } from './cluster-sql.js';
import type { ClickHouse } from './connect.js';
import { command, insertBytes, rows } from './query.js';

export interface Migration {
  /** `001` of `001_snapshots.sql`. Unique and ascending. */
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

/** A file that cannot be applied: it differs from the applied version, or a second run would not be safe. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

const ownFolder = fileURLToPath(new URL('../migrations/', import.meta.url));

/**
 * Applies the pending SQL files in order of their numbers and returns their names. Needs a user that may change the
 * schema. ClickHouse has neither transactions nor locks for schema changes. Every statement must therefore be safe to
 * run twice and concurrently, which is checked here. Then two processes that start together, or one that crashed
 * half-way, produce the same schema.
 */
export const migrate = async (clickhouse: ClickHouse, folder: string = ownFolder): Promise<string[]> => {
  const migrations = await readMigrations(folder);
  await requireTablesOfCluster(clickhouse);
  await change(clickhouse, ledger);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await isApplied(clickhouse, migration)) {
      for (const statement of migration.statements.filter(isView)) await change(clickhouse, statement);
      continue;
    }
    for (const statement of migration.statements) await change(clickhouse, statement);
    await record(clickhouse, migration);
    applied.push(migration.name);
  }
  return applied;
};

/** A view has no rows, so a backup has none of it: the tables of a restored database need it again. */
const isView = (statement: string): boolean => /^CREATE MATERIALIZED VIEW /m.test(statement);

/** Migrations that copy rows may take minutes in a large archive. */
export const migrationMsMax = 3_600_000;

/** Runs a statement, on a cluster in its form for a cluster. A change returns when all replicas have it. */
const change = async (clickhouse: ClickHouse, statement: string): Promise<void> => {
  const { cluster, database } = clickhouse;
  if (cluster === undefined) return command(clickhouse, { sql: statement });
  for (const sql of clusterStatements(statement, { cluster, database })) {
    await command(clickhouse, { sql, settings: { alter_sync: '2' } });
  }
};

/** The tables of one server do not become those of a cluster by themselves. */
const requireTablesOfCluster = async (clickhouse: ClickHouse): Promise<void> => {
  if (clickhouse.cluster === undefined) return;
  const sql = "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'snapshots'";
  const [found] = await rows(clickhouse, { sql }, z.object({ engine: z.string() }));
  if (found === undefined || found.engine === 'Distributed') return;
  throw new MigrationError(
    'These tables are those of one server. Unset CLICKHOUSE_CLUSTER, or move them to a cluster as docs/deploy.md says.',
  );
};

const ledger = `CREATE TABLE IF NOT EXISTS schema_migrations
  (number UInt32, name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
  ENGINE = ReplacingMergeTree ORDER BY (number, checksum)`;

const ledgerRow = z.object({ name: z.string() });

export const appliedMigrations = async (clickhouse: ClickHouse): Promise<string[]> => {
  const sql = 'SELECT DISTINCT name FROM schema_migrations ORDER BY name';
  return (await rows(clickhouse, { sql }, ledgerRow)).map(({ name }) => name);
};

export const knownMigrations = (): Promise<string[]> => namesIn(ownFolder);

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();

export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const migrations = await Promise.all((await namesIn(folder)).map((name) => readMigration(folder, name)));
  const twice = migrations.find((migration, index) => migrations[index + 1]?.number === migration.number);
  if (twice !== undefined)
    throw new MigrationError(`Two migrations have the same number as ${twice.name}. Rename one.`);
  return migrations;
};

const readMigration = async (folder: string, name: string): Promise<Migration> => {
  const [digits] = /^\d{3}(?=_[a-z0-9_]+\.sql$)/.exec(name) ?? [];
  if (digits === undefined) throw new MigrationError(`The migration ${name} must have a name like 001_snapshots.sql.`);
  const text = await readFile(join(folder, name), 'utf8');
  const statements = text
    .split(/;[ \t]*$/m)
    .filter((part) => part.replace(/--.*$/gm, '').trim() !== '')
    .map((part) => part.trim());
  for (const statement of statements) requireRepeatable(name, statement);
  return { number: Number(digits), name, checksum: createHash('sha256').update(text).digest('hex'), statements };
};

const repeatable = [
  /^CREATE (TABLE|MATERIALIZED VIEW|VIEW|DATABASE|FUNCTION) IF NOT EXISTS /,
  /^ALTER TABLE \S+ ADD (COLUMN|INDEX|PROJECTION|CONSTRAINT) IF NOT EXISTS /,
  /^ALTER TABLE \S+ (MODIFY|MATERIALIZE|COMMENT) /,
  // Copies rows into a table that keeps one of equal rows, as all our tables do.
  /^INSERT INTO \S+ \([^)]*\) SELECT /,
  // Waits.
  /^SELECT sleepEachRow\(/,
];

const requireRepeatable = (name: string, statement: string): void => {
  const plain = statement.replace(/--.*$/gm, '').trim().replaceAll(/\s+/g, ' ');
  if (repeatable.some((form) => form.test(plain))) return;
  throw new MigrationError(`${name} has a statement that cannot run twice: ${plain.slice(0, 60)}`);
};

const isApplied = async (clickhouse: ClickHouse, migration: Migration): Promise<boolean> => {
  const checksums = await rows(
    clickhouse,
    {
      sql: 'SELECT checksum FROM schema_migrations FINAL WHERE number = {number:UInt32}',
      params: { number: migration.number },
    },
    z.object({ checksum: z.string() }),
  );
  if (checksums.some(({ checksum }) => checksum !== migration.checksum)) {
    throw new MigrationError(
      `${migration.name} has changed since it was applied. Undo the change, and write a new migration.`,
    );
  }
  return checksums.length > 0;
};

const record = async (clickhouse: ClickHouse, { number, name, checksum }: Migration): Promise<void> => {
  const body = Buffer.from(`${JSON.stringify({ number, name, checksum })}\n`);
  await insertBytes(clickhouse, {
    table: 'schema_migrations',
    columns: ['number', 'name', 'checksum'],
    format: 'JSONEachRow',
    body,
  });
};
