import { onClusterClause } from './cluster-sql.js';
import type { ClickHouse } from './connect.js';
import { command } from './query.js';

export const shadowOf = (table: string): string => `${table}_rebuild`;
const tailOf = (table: string): string => `${table}_rebuild_tail`;

/** Rebuilt tables are complete on every server, so their statements run on all of them. */
const on = ({ cluster }: ClickHouse): string => onClusterClause(cluster);

/** Drops the tables of a rebuild. Views go first: an insert fails if its view has no target table. */
export const dropShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables)
    await command(clickhouse, { sql: `DROP VIEW IF EXISTS ${tailOf(table)}${on(clickhouse)}` });
  for (const table of tables)
    await command(clickhouse, { sql: `DROP TABLE IF EXISTS ${shadowOf(table)}${on(clickhouse)}` });
};

/**
 * Creates an empty shadow for each table and a view that copies new inserts into it. An insert returns when its rows
 * are in both tables. A shadow filled up to now is therefore complete and stays complete.
 */
export const makeShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) {
    await command(clickhouse, { sql: `CREATE TABLE ${shadowOf(table)}${on(clickhouse)} AS ${table}` });
    const head = `CREATE MATERIALIZED VIEW ${tailOf(table)}${on(clickhouse)}`;
    const sql = `${head} TO ${shadowOf(table)} AS SELECT * FROM ${table}`;
    await command(clickhouse, { sql });
  }
};

/** Swaps each shadow with its table, atomically for the readers of a server. The former table is then the shadow. */
export const exchangeShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) {
    await command(clickhouse, { sql: `EXCHANGE TABLES ${table} AND ${shadowOf(table)}${on(clickhouse)}` });
  }
};
