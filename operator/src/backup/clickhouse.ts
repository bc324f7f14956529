import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  appliedMigrations,
  type ClickHouse,
  command,
  localTableOf,
  onClusterClause,
  rows,
  shardedTables,
} from '@almanac/clickhouse';
import { z } from 'zod';
import { UsageError } from '../error-message.js';
import type { Manifest } from './manifest.js';
import type { Stores } from './stores.js';

/** Prefix under which ClickHouse and this process exchange the files of a backup. Removed at the end. */
export const transferPrefix = 'backups/';

const stepMsMax = 6 * 3_600_000;
const pollMs = 500;

interface DescribedStores extends Pick<Stores, 'clickhouse'> {
  readonly config: Pick<Stores['config'], 'CLICKHOUSE_DATABASE'>;
}

/** ClickHouse's version, shards and schema, and its tables with the rows that a query sees. */
export const describeTables = async ({ clickhouse, config }: DescribedStores): Promise<Manifest['clickhouse']> => {
  const [server] = await rows(clickhouse, { sql: 'SELECT version() AS version' }, z.object({ version: z.string() }));
  const tables = await rows(clickhouse, { sql: tablesSql }, listedTable);
  const counted: Manifest['clickhouse']['tables'] = [];
  for (const one of tables) {
    const name = nameOfAll(clickhouse, one.name);
    counted.push({ name, rows: await countOf(clickhouse, { ...one, name }) });
  }
  const shards = await shardsOf(clickhouse);
  return {
    version: server?.version ?? 'unknown',
    database: config.CLICKHOUSE_DATABASE,
    ...(shards === undefined ? {} : { shards }),
    schema: tables.some(({ name }) => name === 'schema_migrations') ? await appliedMigrations(clickhouse) : [],
    tables: counted,
  };
};

/** Tables and views of a running or interrupted rebuild are left out, because the next rebuild creates them. */
const tablesSql = `SELECT name, engine FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '%\\_rebuild%' ORDER BY name`;

const listedTable = z.object({ name: z.string(), engine: z.string() });

/** The number of shards of a cluster. Undefined for one server. */
export const shardsOf = async (clickhouse: ClickHouse): Promise<number | undefined> => {
  const { cluster } = clickhouse;
  if (cluster === undefined) return undefined;
  // One server of each shard answers with its one row.
  const sql = `SELECT toUInt32(count()) AS shards FROM cluster(${text(cluster)}, system.one)`;
  const [found] = await rows(clickhouse, { sql }, z.object({ shards: z.int() }));
  return found?.shards ?? 0;
};

/** Of a table with shards, the name under which a query sees the rows of all of them. */
const nameOfAll = ({ cluster }: ClickHouse, name: string): string =>
  (cluster === undefined ? undefined : shardedTables.find((sharded) => localTableOf(sharded) === name)) ?? name;

/** A merge may remove rows at any time, and a query with FINAL sees the same rows before and after it. */
const countOf = async (clickhouse: ClickHouse, { name, engine }: z.output<typeof listedTable>): Promise<number> => {
  const final = /Replacing|Aggregating/.test(engine) ? ' FINAL' : '';
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

interface TablesBackup {
  readonly tables: readonly string[];
  readonly prefix: string;
  /** Where the full backup is that this one refers to. Its file `.backup` is enough. */
  readonly full?: string | undefined;
}

/** Runs ClickHouse's BACKUP of these tables into the bucket. Resolves when it is complete. */
export const backupTables = async (stores: Stores, { tables, prefix, full }: TablesBackup): Promise<void> => {
  const database = stores.config.CLICKHOUSE_DATABASE;
  const named = tables.map((name) => `TABLE ${quoted(database)}.${quoted(storedTable(stores, name))}`);
  const statement = `BACKUP ${named.join(', ')}${onCluster(stores)} TO ${place(stores, prefix)}`;
  await runInServer(stores, statement, fullBackup(stores, full));
};

/** ClickHouse writes the place of the full backup into its own files, so that has no key. */
const fullBackup = ({ config }: Stores, full: string | undefined): readonly string[] =>
  full === undefined
    ? []
    : [`base_backup = S3(${text(addressOf(config, full))})`, 'use_same_s3_credentials_for_base_backup = 1'];

export const restoreTables = async (
  stores: Stores,
  { from, prefix, full }: { from: Manifest['clickhouse']; prefix: string; full?: string | undefined },
): Promise<void> => {
  const database = stores.config.CLICKHOUSE_DATABASE;
  const named = from.tables.flatMap(({ name: all }) => {
    if (!isRestored(stores, all)) return [];
    const name = storedTable(stores, all);
    return [`TABLE ${quoted(from.database)}.${quoted(name)} AS ${quoted(database)}.${quoted(name)}`];
  });
  await runInServer(stores, `RESTORE ${named.join(', ')}${onCluster(stores)} FROM ${place(stores, prefix)}`, [
    ...tablesExist(stores),
    ...fullBackup(stores, full),
  ]);
};

/**
 * On a cluster, the migrations create the tables before a restore, because their engines name the cluster. So the applied
 * migrations are recorded already.
 */
const isRestored = ({ clickhouse }: Stores, table: string): boolean =>
  clickhouse.cluster === undefined || table !== 'schema_migrations';

/** On a cluster, the rows of a table with shards are in its local tables, and ClickHouse copies each shard once. */
const storedTable = ({ clickhouse }: Stores, table: string): string =>
  clickhouse.cluster === undefined ? table : localTableOf(table);

/** The migrations made the tables. ClickHouse compares the columns anyway, but not the words of each definition. */
const tablesExist = ({ clickhouse }: Stores): readonly string[] =>
  clickhouse.cluster === undefined ? [] : ['allow_different_table_def = true'];

const onCluster = ({ clickhouse }: Stores): string => onClusterClause(clickhouse.cluster);

/** ClickHouse binds no values in these statements. The names and the destination are our own. */
const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
const text = (value: string): string => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;

const addressOf = (config: Stores['config'], prefix: string): string => {
  const endpoint = config.CLICKHOUSE_S3_ENDPOINT ?? config.S3_ENDPOINT;
  return `${endpoint.replace(/\/$/, '')}/${config.S3_BUCKET}/${prefix}`;
};

const place = ({ config }: Stores, prefix: string): string =>
  `S3(${text(addressOf(config, prefix))}, ${text(config.S3_ACCESS_KEY_ID)}, ${text(config.S3_SECRET_ACCESS_KEY)})`;

const progress = z.object({ status: z.string(), error: z.string() });

/**
 * ClickHouse copies 16 files at once, and by default has up to 20 parts of 16 MiB of each on their way: 1.4 GB for 3.8 GB of tables.
 * Parts grow with the file, so one of any size fits.
 */
const smallUploads = {
  s3_max_inflight_parts_for_one_file: '1',
  s3_max_single_part_upload_size: '8388608',
  s3_min_upload_part_size: '8388608',
};

/** Runs in the background and polls the status, because a proxy might cut a long request. */
const runInServer = async (
  { clickhouse }: Stores,
  statement: string,
  settings: readonly string[] = [],
): Promise<void> => {
  const id = randomUUID();
  // Only the server that began it knows its state, and any of them may answer.
  const { cluster } = clickhouse;
  const from = cluster === undefined ? 'system.backups' : `clusterAllReplicas(${text(cluster)}, system.backups)`;
  const sql = `${statement} SETTINGS ${[`id = ${text(id)}`, ...settings].join(', ')} ASYNC`;
  await command(clickhouse, { sql, settings: smallUploads });
  const deadline = performance.now() + stepMsMax;
  for (;;) {
    const statusQuery = { sql: `SELECT status, error FROM ${from} WHERE id = {id:String}`, params: { id } };
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
