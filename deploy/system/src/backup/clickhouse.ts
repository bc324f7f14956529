import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { appliedMigrations, type ClickHouse, command, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { UsageError } from '../commands/command.js';
import type { Manifest } from './manifest.js';
import type { Stores } from './stores.js';

/** Prefix under which ClickHouse and this process exchange the files of a backup. Removed at the end. */
export const transferPrefix = 'backups/';

const stepMsMax = 6 * 3_600_000;
const pollMs = 500;

interface DescribedStores extends Pick<Stores, 'clickhouse'> {
  readonly config: Pick<Stores['config'], 'CLICKHOUSE_DATABASE'>;
}

/** ClickHouse's version and schema, and its tables with the rows that a query sees. */
export const describeTables = async ({ clickhouse, config }: DescribedStores): Promise<Manifest['clickhouse']> => {
  const [server] = await rows(clickhouse, { sql: 'SELECT version() AS version' }, z.object({ version: z.string() }));
  const tables = await rows(clickhouse, { sql: tablesSql }, table);
  const counted: Manifest['clickhouse']['tables'] = [];
  for (const one of tables) counted.push({ name: one.name, rows: await countOf(clickhouse, one) });
  return {
    version: server?.version ?? 'unknown',
    database: config.CLICKHOUSE_DATABASE,
    schema: tables.some(({ name }) => name === 'schema_migrations') ? await appliedMigrations(clickhouse) : [],
    tables: counted,
  };
};

/** Tables and views of a running or interrupted rebuild are left out, because the next rebuild creates them. */
const tablesSql = `SELECT name, engine FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '%\\_rebuild%' ORDER BY name`;

const table = z.object({ name: z.string(), engine: z.string() });

/** A merge may remove rows at any time, and a query with FINAL sees the same rows before and after it. */
const countOf = async (clickhouse: ClickHouse, { name, engine }: z.output<typeof table>): Promise<number> => {
  const final = /^(?:Replicated)?(?:Replacing|Aggregating)/.test(engine) ? ' FINAL' : '';
  const sql = `SELECT toString(count()) AS n FROM {name:Identifier}${final}`;
  const [counted] = await rows(clickhouse, { sql, params: { name } }, z.object({ n: z.coerce.number() }));
  return counted?.n ?? 0;
};

/** Throws a UsageError if the database has a table. */
export const requireEmptyDatabase = async ({ clickhouse, config }: Stores): Promise<void> => {
  const sql = 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name LIMIT 1';
  const [found] = await rows(clickhouse, { sql }, z.object({ name: z.string() }));
  if (found === undefined) return;
  throw new UsageError(
    `The database ${config.CLICKHOUSE_DATABASE} is not empty: it has the table ${found.name}. Restore into an empty database.`,
  );
};

/** Runs ClickHouse's BACKUP of these tables into the bucket. Resolves when it is complete. */
export const backupTables = async (
  stores: Stores,
  { tables, prefix }: { tables: readonly string[]; prefix: string },
): Promise<void> => {
  const database = stores.config.CLICKHOUSE_DATABASE;
  const named = tables.map((name) => `TABLE ${quoted(database)}.${quoted(name)}`);
  await runInServer(stores, `BACKUP ${named.join(', ')} TO ${place(stores, prefix)}`);
};

export const restoreTables = async (
  stores: Stores,
  { from, prefix }: { from: Manifest['clickhouse']; prefix: string },
): Promise<void> => {
  const database = stores.config.CLICKHOUSE_DATABASE;
  const named = from.tables.map(
    ({ name }) => `TABLE ${quoted(from.database)}.${quoted(name)} AS ${quoted(database)}.${quoted(name)}`,
  );
  await runInServer(stores, `RESTORE ${named.join(', ')} FROM ${place(stores, prefix)}`);
};

/** ClickHouse binds no values in these statements. The names and the destination are our own. */
const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
const text = (value: string): string => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;

const place = ({ config }: Stores, prefix: string): string => {
  const endpoint = config.CLICKHOUSE_S3_ENDPOINT ?? config.S3_ENDPOINT;
  const url = `${endpoint.replace(/\/$/, '')}/${config.S3_BUCKET}/${prefix}`;
  return `S3(${text(url)}, ${text(config.S3_ACCESS_KEY_ID)}, ${text(config.S3_SECRET_ACCESS_KEY)})`;
};

const progress = z.object({ status: z.string(), error: z.string() });

/** Runs in the background and polls the status, because a proxy might cut a long request. */
const runInServer = async ({ clickhouse }: Stores, statement: string): Promise<void> => {
  const id = randomUUID();
  await command(clickhouse, { sql: `${statement} SETTINGS id = ${text(id)} ASYNC` });
  const deadline = performance.now() + stepMsMax;
  for (;;) {
    const statusQuery = { sql: 'SELECT status, error FROM system.backups WHERE id = {id:String}', params: { id } };
    const [now] = await rows(clickhouse, statusQuery, progress);
    if (now?.status === 'BACKUP_CREATED' || now?.status === 'RESTORED') return;
    if (now !== undefined && /FAILED|CANCELLED/.test(now.status)) {
      const [why = ''] = now.error.split(/, Stack trace|\n/);
      throw new UsageError(`ClickHouse stopped with an error: ${why}`);
    }
    if (performance.now() > deadline)
      throw new UsageError(`ClickHouse did not finish within ${stepMsMax / 3_600_000} hours.`);
    await delay(pollMs);
  }
};
