import type { ClickHouse } from './connect.js';
import { command } from './query.js';

export const shadowOf = (table: string): string => `${table}_rebuild`;
const tailOf = (table: string): string => `${table}_rebuild_tail`;

/** Removes what a rebuild made; the tables that are read stay. A view goes before the table that it fills, or inserts would fail. */
export const dropShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) await command(clickhouse, { sql: `DROP VIEW IF EXISTS ${tailOf(table)}` });
  for (const table of tables) await command(clickhouse, { sql: `DROP TABLE IF EXISTS ${shadowOf(table)}` });
};

/**
 * Makes an empty table beside each, and a view that copies into it what is inserted from now on: an insert is answered
 * once its rows are in both, so a shadow that was filled up to now is complete, and stays so.
 */
export const makeShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) {
    await command(clickhouse, { sql: `CREATE TABLE ${shadowOf(table)} AS ${table}` });
    const sql = `CREATE MATERIALIZED VIEW ${tailOf(table)} TO ${shadowOf(table)} AS SELECT * FROM ${table}`;
    await command(clickhouse, { sql });
  }
};

/** Puts each shadow in the place of its table, at once for readers; what was read until now is the shadow then. */
export const exchangeShadows = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) {
    await command(clickhouse, { sql: `EXCHANGE TABLES ${table} AND ${shadowOf(table)}` });
  }
};
