import { createHash, timingSafeEqual } from 'node:crypto';
import { EngineError } from './errors.js';
import type { Statement } from './statement.js';

/**
 * A user's rights, equal to GRANTs of the real server.
 * - without `tables` and `readonly`: everything, including the schema (the operator, migrations);
 * - `readonly` without `tables`: SELECT from every table;
 * - with `tables`: SELECT from `read` and `write`, INSERT into `write`. Names are `table` in the database `default`, or
 *   `database.table`. `readonly` refuses INSERT whatever `write` says.
 * - with `staging`: tables of its own in this database, whose partitions it may move into a table of `write`.
 */
export interface ClickHouseUser {
  readonly user: string;
  readonly password: string;
  readonly readonly?: boolean;
  readonly tables?: { readonly read: readonly string[]; readonly write: readonly string[]; readonly staging?: string };
}

export interface Grants {
  readonly user: string;
  /** Undefined: every table. */
  readonly read: ReadonlySet<string> | undefined;
  readonly write: ReadonlySet<string> | undefined;
  readonly schema: boolean;
  /** A database in which the user may create and drop tables. */
  readonly staging?: string | undefined;
}

/** What a SELECT reads, as the engine's analyzer names it. */
export interface Touched {
  readonly tables: readonly string[];
  readonly tableFunctions: readonly string[];
  readonly functions: readonly string[];
}

interface Entry {
  readonly passwordHash: Buffer;
  readonly grants: Grants;
}

/** Returns a function that checks a name and a password and returns the user's grants. */
export const userDirectory = (users: readonly ClickHouseUser[]) => {
  const entries = new Map<string, Entry>(
    users.map((user) => [user.user, { passwordHash: hash(user.password), grants: grantsOf(user) }]),
  );
  const nobody = hash('');
  return (user: string, password: string): Grants => {
    const entry = entries.get(user);
    const same = timingSafeEqual(hash(password), entry?.passwordHash ?? nobody);
    if (entry !== undefined && same) return entry.grants;
    const sentence = `${user}: Authentication failed: password is incorrect, or there is no user with such name.`;
    throw new EngineError(516, 'AUTHENTICATION_FAILED', sentence);
  };
};

const hash = (password: string): Buffer => createHash('sha256').update(password).digest();

const grantsOf = ({ user, readonly = false, tables }: ClickHouseUser): Grants => {
  const write = readonly ? new Set<string>() : tables === undefined ? undefined : named(tables.write);
  const read = tables === undefined ? undefined : named([...tables.read, ...tables.write]);
  return { user, read, write, schema: tables === undefined && !readonly, staging: tables?.staging };
};

const named = (tables: readonly string[]): ReadonlySet<string> =>
  new Set(tables.map((name) => fullName(name, 'default')));

const fullName = (table: string, database: string): string => (table.includes('.') ? table : `${database}.${table}`);

/** The GRANTs, without grantee, that give a user the same rights on a real server. */
export const clickHouseGrants = ({
  readonly = false,
  tables,
}: Pick<ClickHouseUser, 'readonly' | 'tables'>): string[] => {
  if (tables === undefined) return [readonly ? 'GRANT SELECT ON *.*' : 'GRANT ALL ON *.*'];
  return [
    ...Array.from(named([...tables.read, ...tables.write]), (table) => `GRANT SELECT ON ${table}`),
    ...(readonly ? [] : Array.from(named(tables.write), (table) => `GRANT INSERT ON ${table}`)),
    ...(tables.staging === undefined
      ? []
      : [
          `GRANT CREATE DATABASE, CREATE TABLE, DROP TABLE, SELECT, INSERT, ALTER DELETE, ALTER SETTINGS ON ${tables.staging}.*`,
        ]),
  ];
};

const openTables = new Set(['system.one', 'system.numbers', 'system.zeros']);
const openTableFunctions = new Set(['numbers', 'zeros', 'values', 'generate_series', 'generateSeries', 'view', 'null']);
const hiddenReads = /^(dict\w*|joinGet\w*|file|hasColumnInTable|catboost\w*|getServerSetting|getMergeTreeSetting)$/i;

/** Throws unless the user has the right. `touched` runs the analyzer, so it is called only if needed. */
export const authorize = async (
  grants: Grants,
  {
    statement,
    database,
    touched,
  }: { statement: Statement; database: string; touched: (select: string) => Promise<Touched> },
): Promise<void> => {
  if (grants.schema) return;
  if (statement.kind === 'other') return requireStaging(grants, statement);
  if (statement.kind !== 'read') requireWrite(grants, fullName(statement.table, database));
  if (grants.read === undefined || statement.kind === 'insert') return;
  requireRead(grants, grants.read, await touched(statement.kind === 'read' ? statement.head : statement.select));
};

const requireWrite = (grants: Grants, table: string): void => {
  if (grants.write !== undefined && !grants.write.has(table) && !isStaging(grants, table))
    throw denied(grants, `INSERT ON ${table}`);
};

const isStaging = ({ staging }: Grants, table: string): boolean =>
  staging !== undefined && table.startsWith(`${staging}.`);

/** The statements about tables of the user's own database. A move needs the right to write what it moves into. */
const requireStaging = (grants: Grants, { sql, verb }: Extract<Statement, { kind: 'other' }>): void => {
  const own = `${grants.staging}\\.\\w+`;
  const [, into] = new RegExp(`^ALTER TABLE ${own} MOVE PARTITION ID '\\w+' TO TABLE ([\\w.]+)$`).exec(sql) ?? [];
  const [, like] = new RegExp(`^CREATE TABLE ${own} AS ([\\w.]+)$`).exec(sql) ?? [];
  const isOwn = new RegExp(
    `^(CREATE DATABASE IF NOT EXISTS ${grants.staging}|DROP TABLE IF EXISTS ${own}|ALTER TABLE ${own} MODIFY SETTING \\w+ = \\d+|SHOW TABLES FROM ${grants.staging}(\\s+FORMAT \\w+)?)$`,
  );
  const isAllowed = isOwn.test(sql) || grants.write?.has(into ?? '') === true || grants.read?.has(like ?? '') === true;
  if (grants.staging === undefined || !isAllowed) throw denied(grants, verb);
};

const requireRead = (grants: Grants, read: ReadonlySet<string>, touched: Touched): void => {
  const table = touched.tables.find((name) => !read.has(name) && !openTables.has(name) && !isStaging(grants, name));
  if (table !== undefined) throw denied(grants, `SELECT ON ${table}`);
  const source = touched.tableFunctions.find((name) => !openTableFunctions.has(name));
  if (source !== undefined) throw denied(grants, `the table function ${source}`);
  const hidden = touched.functions.find((name) => hiddenReads.test(name));
  if (hidden !== undefined) throw denied(grants, `the function ${hidden}`);
};

const denied = ({ user }: Grants, what: string): EngineError =>
  new EngineError(
    497,
    'ACCESS_DENIED',
    `${user}: Not enough privileges. To execute this query, it's necessary to have the grant ${what}.`,
  );
