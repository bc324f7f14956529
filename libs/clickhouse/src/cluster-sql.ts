/**
 * Tables of rows of markets. On a cluster, each shard has the rows of some markets in `<table>_local`, and the table of
 * this name is Distributed over them. All other tables are complete on every server.
 */
export const shardedTables = ['snapshots', 'trades', 'gaps', 'recorded_spans', 'venue_candles'] as const;

/** All rows of a market are on one shard, in each of these tables. */
const shardingKey = 'cityHash64(ticker)';

export interface ClusterSqlOptions {
  readonly cluster: string;
  /** A Distributed table names its database. */
  readonly database: string;
}

export const isSharded = (table: string): boolean => shardedTables.some((name) => name === table);

/** The table that stores the rows: of a sharded table, the part on this server. */
export const localTableOf = (table: string): string => (isSharded(table) ? `${table}_local` : table);

export const onClusterClause = (cluster: string | undefined): string =>
  cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`;

/**
 * What a statement of a migration becomes on a cluster, in order. The migrations are the only description of the
 * tables, so everything else follows from them. Throws for a form that it does not know.
 */
export const clusterStatements = (statement: string, options: ClusterSqlOptions): readonly string[] => {
  const sql = statement.replace(/^(?:\s*--.*\n)+/, '').trim();
  const [, create] = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(sql) ?? [];
  if (create !== undefined) return createdTable(sql, create, options);
  const [, altered] = /^ALTER TABLE (\w+)\s/.exec(sql) ?? [];
  if (altered !== undefined) return alteredTable(sql, altered, options);
  if (/^(?:INSERT INTO|SELECT) /.test(sql)) return [sql];
  const [head] = /^CREATE (?:MATERIALIZED VIEW|VIEW|DATABASE|FUNCTION) IF NOT EXISTS \w+/.exec(sql) ?? [];
  if (head === undefined) throw new TypeError(`A cluster has no form of this statement: ${sql.slice(0, 60)}`);
  const body = sql.slice(head.length);
  return [`${head}${onClusterClause(options.cluster)}${head.includes('MATERIALIZED') ? ofLocalTables(body) : body}`];
};

const createdTable = (sql: string, table: string, { cluster, database }: ClusterSqlOptions): readonly string[] => {
  const local = localTableOf(table);
  const body = replicated(sql.slice(`CREATE TABLE IF NOT EXISTS ${table}`.length), isSharded(table));
  const stored = `CREATE TABLE IF NOT EXISTS ${local} ON CLUSTER '${cluster}'${body}`;
  if (local === table) return [stored];
  const distributed = `Distributed('${cluster}', '${database}', '${local}', ${shardingKey})`;
  return [stored, `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER '${cluster}' AS ${local} ENGINE = ${distributed}`];
};

const engine = /\bENGINE\s*=\s*(\w*)MergeTree\b(?:\(([^()]*)\))?/;

/**
 * The engine that copies the rows. `{uuid}` is one number on all servers, because the statement runs ON CLUSTER, and
 * another for a table of the same name that a rebuild creates. A table without shards is copied to all servers, so its
 * path has no shard, and its replicas have unique names.
 */
const replicated = (sql: string, sharded: boolean): string => {
  if (!engine.test(sql)) throw new TypeError('A table of a cluster needs an engine of the MergeTree family.');
  const path = sharded ? '/clickhouse/tables/{uuid}/{shard}' : '/clickhouse/tables/{uuid}';
  const replica = sharded ? '{replica}' : '{shard}-{replica}';
  return sql.replace(
    engine,
    (_, kind: string, given: string | undefined) =>
      `ENGINE = Replicated${kind}MergeTree(${[`'${path}'`, `'${replica}'`, ...(given === undefined ? [] : [given])].join(', ')})`,
  );
};

/**
 * The servers copy a change of a table to its replicas by themselves. A sharded table changes once on each shard, and
 * its Distributed table has the same columns, without indexes.
 */
const alteredTable = (sql: string, table: string, { cluster }: ClusterSqlOptions): readonly string[] => {
  if (!isSharded(table)) return [sql];
  const change = sql.replace(/^ALTER TABLE \w+\s+/, '');
  const alter = (name: string): string => `ALTER TABLE ${name} ON CLUSTER '${cluster}' ${change}`;
  const isOfColumns = /^(?:ADD|MODIFY|COMMENT) COLUMN /.test(change);
  return [alter(localTableOf(table)), ...(isOfColumns ? [alter(table)] : [])];
};

/** A materialized view sees the inserts of its server, which go to the local tables. */
const ofLocalTables = (sql: string): string =>
  sql.replaceAll(/\b(TO|FROM|JOIN) (\w+)/g, (_, word: string, table: string) => `${word} ${localTableOf(table)}`);
