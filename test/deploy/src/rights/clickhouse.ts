import { z } from 'zod';

export interface ClickHouseLogin {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** Runs one statement. `refused` is ClickHouse's ACCESS_DENIED. Throws any other error. */
export const statement = async (login: ClickHouseLogin, sql: string): Promise<'done' | 'refused'> => {
  const { ok, text } = await send(login, sql);
  if (ok) return 'done';
  if (/^Code: 497\b/.test(text)) return 'refused';
  throw new Error(`${sql}: ${text}`);
};

const send = async ({ url, user, password }: ClickHouseLogin, sql: string): Promise<{ ok: boolean; text: string }> => {
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const answer = await fetch(url, { method: 'POST', headers, body: sql, signal: AbortSignal.timeout(60_000) });
  return { ok: answer.ok, text: await answer.text() };
};

/** Whether the server accepts the login. */
export const canLogIn = async (login: ClickHouseLogin): Promise<boolean> => {
  const { ok, text } = await send(login, 'SELECT 1');
  if (!ok && !/^Code: 516\b/.test(text)) throw new Error(text);
  return ok;
};

/** The names of all tables and views of the migrations. */
export const everyTable = async (admin: ClickHouseLogin): Promise<string[]> => {
  const sql = "SELECT name FROM system.tables WHERE database = 'default' ORDER BY name FORMAT JSONCompact";
  const { text } = await send(admin, sql);
  return z
    .object({ data: z.array(z.tuple([z.string()])) })
    .parse(JSON.parse(text))
    .data.flat();
};

/** The table of applied migrations. */
const schema = 'schema_migrations';

/** What each service reads and writes. Deliberately repeated here, independently of the code. */
export const expectedClickHouseAccess: Readonly<
  Record<string, { readonly reads: string[]; readonly writes: string[] }>
> = {
  catalog: {
    reads: ['snapshots', 'trades', 'venue_candles', 'coin_prices', 'markets_by_close', schema],
    writes: ['series', 'events', 'markets', 'event_figures', 'market_words'],
  },
  timeseries: {
    reads: [schema],
    writes: ['snapshots', 'trades', 'recorded_spans', 'venue_candles', 'coin_prices', 'unannounced_batches'],
  },
  export: {
    reads: [
      'snapshots',
      'trades',
      'venue_candles',
      'recorded_spans',
      'series',
      'events',
      'markets',
      'event_figures',
      schema,
    ],
    writes: ['exports'],
  },
};

/** Statements on a table that no service may run. */
export const onTable = (table: string): string[] => [
  `DROP TABLE ${table}`,
  `TRUNCATE TABLE ${table}`,
  `ALTER TABLE ${table} DELETE WHERE 1`,
  `ALTER TABLE ${table} ADD COLUMN x Int8`,
  `OPTIMIZE TABLE ${table} FINAL`,
  `RENAME TABLE ${table} TO x`,
];

/** Statements on tables of the stages, in the order in which timeseries may run them. No other service may. */
export const onStaging: readonly string[] = [
  'CREATE DATABASE IF NOT EXISTS staging',
  'CREATE TABLE staging.s_test AS default.snapshots',
  'INSERT INTO staging.s_test (ticker) FORMAT TabSeparated\n',
  'SELECT count() FROM staging.s_test',
  "ALTER TABLE staging.s_test MOVE PARTITION ID '202601' TO TABLE default.snapshots",
  'SHOW TABLES FROM staging',
  'DROP TABLE IF EXISTS staging.s_test',
];

/** Statements that no service may run. */
export const onServer: readonly string[] = [
  'CREATE TABLE x (a Int8) ENGINE = Memory',
  'CREATE DATABASE x',
  'CREATE TABLE staging.x AS default.markets',
  "ALTER TABLE default.snapshots MOVE PARTITION ID '202601' TO TABLE staging.x",
  "ALTER TABLE staging.x MOVE PARTITION ID '202601' TO TABLE default.markets",
  'DROP TABLE IF EXISTS default.snapshots',
  'DROP DATABASE staging',
  'DROP DATABASE default',
  "CREATE USER x IDENTIFIED BY 'x'",
  'GRANT ALL ON *.* TO export',
  'SYSTEM SHUTDOWN',
  'KILL QUERY WHERE 1',
  'SELECT * FROM system.users',
  'SELECT * FROM system.processes',
  'SELECT * FROM system.parts',
  "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
];
