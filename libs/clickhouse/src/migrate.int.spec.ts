import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, testClickHouse, type TestClickHouse } from '@almanac/testing';
import { command, connectClickHouse, insertBytes, migrate, MigrationError, rows, type ClickHouse } from './index.js';

const shipped = fileURLToPath(new URL('../migrations/', import.meta.url));
const names = readdirSync(shipped).toSorted();

let server: TestClickHouse;
const open: ClickHouse[] = [];
before(async () => {
  server = await testClickHouse({ hasTables: false });
});
after(async () => {
  await Promise.all(open.map((client) => client.close()));
  await server.stop();
});

/** A client of a new database. */
const newDatabase = async (database: string): Promise<ClickHouse> => {
  const login = { url: server.url, username: server.username, password: server.password };
  const [operator, client] = [connectClickHouse(login), connectClickHouse({ ...login, database })];
  open.push(operator, client);
  await command(operator, { sql: `CREATE DATABASE ${database}` });
  return client;
};

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-migrations-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The rows of an answer, one a line. */
const text = async (clickhouse: ClickHouse, sql: string): Promise<string[]> => {
  const found = await rows(clickhouse, { sql });
  return found.map((row) =>
    Object.values(row as Record<string, unknown>)
      .map(String)
      .join(' '),
  );
};

const store = (
  clickhouse: ClickHouse,
  table: string,
  columns: readonly string[],
  ...stored: readonly object[]
): Promise<number> =>
  insertBytes(clickhouse, {
    table,
    columns,
    format: 'JSONEachRow',
    body: Buffer.from(stored.map((row) => JSON.stringify(row)).join('\n')),
  });

describe('migrations', () => {
  let clickhouse: ClickHouse;
  before(async () => {
    clickhouse = await newDatabase('fresh');
    await Promise.all([migrate(clickhouse), migrate(clickhouse)]);
  });

  it('are applied once, even if two processes start at once, and result in one schema', async () => {
    assert.deepEqual(await migrate(clickhouse), []);
    assert.deepEqual(
      await rows(clickhouse, { sql: 'SELECT number FROM schema_migrations FINAL ORDER BY number' }),
      names.map((_, index) => ({ number: index + 1 })),
    );
    const sql = 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name';
    const tables =
      'coin_prices event_figures events exports gaps market_words markets markets_by_close markets_by_close_tail rebuilds ' +
      'recorded_spans schema_migrations series snapshots trades unannounced_batches venue_candles';
    assert.equal((await text(clickhouse, sql)).join(' '), tables);
  });

  it('refuse a file that changed after it was applied, and one that cannot run twice', async () => {
    const other = await newDatabase('refusals');
    await inFolder(async (folder) => {
      const file = join(folder, '001_more.sql');
      const statement = 'CREATE TABLE IF NOT EXISTS more (id UInt8) ENGINE = MergeTree ORDER BY id;\n';
      await writeFile(file, statement);
      await migrate(other, folder);
      await writeFile(file, statement.replace('UInt8', 'UInt16'));
      await assert.rejects(migrate(other, folder), /has changed since it was applied/);
      await writeFile(file, statement);
      for (const sql of [
        'CREATE TABLE more (id UInt8) ENGINE = MergeTree ORDER BY id',
        'DROP TABLE snapshots',
        'INSERT INTO more VALUES (1)',
        'INSERT INTO more SELECT 1',
      ]) {
        await writeFile(join(folder, '002_again.sql'), `${sql};\n`);
        const refused = (error: unknown) => error instanceof MigrationError && /cannot run twice/.test(error.message);
        await assert.rejects(migrate(other, folder), refused, sql);
      }
    });
  });

  it('create a snapshots table where the last stored row wins, whatever was merged when', async () => {
    const columns = ['ticker', 'series', 'ts', 'yes_best_bid', 'has_book', 'orderbook_yes'];
    const row = { ticker: 'A', series: 'S', has_book: true, orderbook_yes: [[0.5, 10.25]] };
    const last = new Map<string, number>();
    for (let round = 0; round < 36; round += 1) {
      const ts = `2026-0${1 + ((round * 7) % 3)}-01 00:00:00.00000${(round * 3) % 4}`;
      const bid = ((round * 37) % 100) / 100;
      await store(clickhouse, 'snapshots', columns, { ...row, ts, yes_best_bid: bid });
      last.set(ts, bid);
      if (round % 11 === 10) await command(clickhouse, { sql: 'OPTIMIZE TABLE snapshots' });
    }
    const read = (): Promise<unknown[]> =>
      rows(clickhouse, { sql: 'SELECT toString(ts) AS t, yes_best_bid AS bid FROM snapshots FINAL ORDER BY ts' });
    const expected = [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([t, bid]) => ({ t, bid }));
    assert.equal(expected.length, 12);
    assert.deepEqual(await read(), expected);
    await command(clickhouse, { sql: 'OPTIMIZE TABLE snapshots FINAL' });
    assert.deepEqual(await read(), expected);
    assert.deepEqual(
      await rows(clickhouse, {
        sql: 'SELECT toDecimal64(ts, 6) AS ts, orderbook_yes, orderbook_no, venue_ts FROM snapshots FINAL WHERE ts >= {from:DateTime64(6)} ORDER BY ts LIMIT 1',
        params: { from: '2026-03-01 00:00:00' },
      }),
      [{ ts: 1772323200, orderbook_yes: [[0.5, 10.25]], orderbook_no: [], venue_ts: null }],
    );
  });

  it('create a markets table where the newest event wins and titles are found by word', async () => {
    const columns = ['ticker', 'series', 'title', 'close_us', 'floor_strike', 'seq'];
    const row = { ticker: 'T95999.99', series: 'S', close_us: 1771993365058297, floor_strike: 95999.99 };
    await store(clickhouse, 'markets', columns, { ...row, title: 'Bitcoin above 95,999.99?', seq: 12 });
    await store(clickhouse, 'markets', columns, { ...row, title: 'an older event that came late', seq: 11 });
    assert.deepEqual(
      await rows(clickhouse, {
        sql: `SELECT ticker, close_us, floor_strike, result, seq FROM markets FINAL WHERE hasAllTokens(lower(title), 'bitcoin above')`,
      }),
      [{ ticker: 'T95999.99', close_us: 1771993365058297, floor_strike: 95999.99, result: null, seq: 12 }],
    );
  });
});

/** What a process of the release before 017 sends. */
const olderColumns = ['ticker', 'ts', 'has_book', 'orderbook_yes', 'orderbook_no'];
const bookOf = (ticker: string, second: number, yes: readonly number[][], no: readonly number[][]) => ({
  ticker,
  ts: `2026-01-01 00:00:0${second}`,
  has_book: true,
  orderbook_yes: yes,
  orderbook_no: no,
});

describe('an upgrade of an archive in place', () => {
  let clickhouse: ClickHouse;
  const applied: string[] = [];
  const startUs = Date.UTC(2026, 0, 1) * 1_000;

  /** The migrations of the release whose last one has this number. */
  const migrateTo = (last: string): Promise<void> =>
    inFolder(async (folder) => {
      for (const name of names) if (name.slice(0, 3) <= last) await cp(join(shipped, name), join(folder, name));
      applied.push(...(await migrate(clickhouse, folder)));
    });

  const storeMarketsOfSecond = async (): Promise<void> => {
    const columns = [
      'ticker',
      'series',
      'event_ticker',
      'words',
      'venue_status',
      'result',
      'open_us',
      'close_us',
      'seq',
    ];
    const old = { series: 'S', event_ticker: 'E', words: ' bitcoin up a' };
    await store(
      clickhouse,
      'markets',
      columns,
      { ticker: 'A', ...old, event_ticker: 'LEFT', close_us: 9, seq: 1 },
      { ticker: 'C', venue_status: 'active', seq: 2 },
    );
    await store(
      clickhouse,
      'markets',
      columns,
      { ticker: 'A', ...old, result: 'yes', open_us: 2, close_us: 5, seq: 3 },
      { ticker: 'B', ...old, open_us: 1, close_us: 7, seq: 4 },
      { ticker: 'D', seq: 5 },
    );
  };

  const storeGapsOfEighth = async (): Promise<void> => {
    const times = { A: [10, 20, 30, 40], B: [10, 20], C: [10, 20, 60] };
    const books = Object.entries(times).flatMap(([ticker, all]) =>
      all.map((us) => ({ ticker, ts: `2026-01-01 00:00:00.0000${us}`, has_book: true })),
    );
    const top = { ticker: 'TOPS', ts: '2026-01-01 00:00:00', has_book: false };
    await store(clickhouse, 'snapshots', ['ticker', 'ts', 'has_book'], ...books, top);
    const gap = (ticker: string, start: number, end: number | null, reason: string) => ({
      ticker,
      start_us: startUs + start,
      end_us: end === null ? null : startUs + end,
      reason,
    });
    const gaps = [gap('A', 20, 30, 'jump'), gap('A', 40, null, 'ended'), gap('C', 20, null, 'killed')];
    await store(clickhouse, 'gaps', ['ticker', 'start_us', 'end_us', 'reason'], ...gaps);
  };

  const storeBooksOfSixteenth = async (): Promise<void> => {
    const bids = [
      [0.5, 10.25],
      [0.49, 3],
    ];
    const books = [bookOf('SIZES-A', 0, bids, [[0.48, 66_031.01]]), bookOf('SIZES-A', 1, [], [[0.4, 5]])];
    await store(clickhouse, 'snapshots', olderColumns, ...books);
    const top = { ticker: 'SIZES-A', ts: '2026-01-01 00:00:02', yes_best_bid: 0.5 };
    await store(clickhouse, 'snapshots', ['ticker', 'ts', 'yes_best_bid'], top);
  };

  before(async () => {
    clickhouse = await newDatabase('upgraded');
    await migrateTo('002');
    await storeMarketsOfSecond();
    await migrateTo('008');
    await storeGapsOfEighth();
    await migrateTo('016');
    await storeBooksOfSixteenth();
    applied.push(...(await migrate(clickhouse)));
  });

  it('applies each migration once, in order', () => assert.deepEqual(applied, names));

  it('gives a catalogue of the second schema its words, keys, figures and indexes', async () => {
    const words = await text(clickhouse, 'SELECT word FROM market_words FINAL ORDER BY word');
    assert.deepEqual(words, ['a', 'bitcoin', 'up']);
    const keys = await text(clickhouse, 'SELECT ticker, close_key, known FROM markets FINAL ORDER BY close_key DESC');
    assert.deepEqual(keys, [`C ${Number.MAX_SAFE_INTEGER} false`, 'B 7 false', 'A 5 true', 'D -1 false']);
    const newest = 'WHERE (ticker, close_key) IN (SELECT ticker, close_key FROM markets FINAL)';
    const byClose = `SELECT DISTINCT ticker, close_key FROM markets_by_close ${newest} ORDER BY close_key DESC`;
    assert.deepEqual(await text(clickhouse, byClose), [`C ${Number.MAX_SAFE_INTEGER}`, 'B 7', 'A 5', 'D -1']);
    const figures = 'series, markets_n, known_n, strikes_n, close_key, newest_close_us, oldest_close_us, open_us';
    const ofEvents = await text(clickhouse, `SELECT event_ticker, ${figures} FROM event_figures FINAL`);
    assert.deepEqual(ofEvents, ['E S 2 1 0 7 7 5 1']);
    // As after a background merge: every part then has the columns and the indexes.
    await eventually(async () => {
      const sql = 'SELECT command FROM system.mutations WHERE database = currentDatabase() AND NOT is_done';
      assert.deepEqual(await rows(clickhouse, { sql }), []);
    });
    const sql = 'SELECT DISTINCT ticker FROM markets WHERE hasAllTokens(words, {words:Array(String)}) ORDER BY ticker';
    const settings = { force_data_skipping_indices: 'by_words' };
    assert.deepEqual(await rows(clickhouse, { sql, params: { words: ['bitcoin', 'up'] }, settings }), [
      { ticker: 'A' },
      { ticker: 'B' },
    ]);
    assert.deepEqual(await rows(clickhouse, { sql, params: { words: ['bitcoin', 'u'] }, settings }), []);
  });

  it('turns the gaps of the eighth schema into the spans between them', async () => {
    const sql = `SELECT ticker, start_us - ${startUs} AS start, end_us - ${startUs} AS end, end_reason
      FROM recorded_spans FINAL ORDER BY ticker, start_us SETTINGS output_format_json_quote_64bit_integers = 0`;
    const spans = ['A 10 20 jump', 'A 30 40 ended', 'B 10 20 null', 'C 10 20 killed', 'C 60 60 null'];
    assert.deepEqual(await text(clickhouse, sql), spans);
  });

  it('computes the top sizes of books of the schema before, of older processes and of this one', async () => {
    await store(clickhouse, 'snapshots', olderColumns, bookOf('SIZES-B', 0, [[0.5, 7]], []));
    const stated = ['ticker', 'ts', 'yes_best_bid_size', 'yes_best_ask_size'];
    const row = {
      ticker: 'SIZES-C',
      ts: '2026-01-01 00:00:00',
      yes_best_bid_size: 300.000001,
      yes_best_ask_size: null,
    };
    await store(clickhouse, 'snapshots', stated, row);
    const sizes = (): Promise<string[]> =>
      text(
        clickhouse,
        `SELECT ticker, toString(yes_best_bid_size) AS bid, toString(yes_best_ask_size) AS ask FROM snapshots FINAL
          WHERE ticker LIKE 'SIZES-%' ORDER BY ticker, ts`,
      );
    const ofA = ['SIZES-A 10.25 66031.01', 'SIZES-A null 5', 'SIZES-A null null'];
    const expected = [...ofA, 'SIZES-B 7 null', 'SIZES-C 300.000001 null'];
    assert.deepEqual(await sizes(), expected);
    await command(clickhouse, { sql: 'OPTIMIZE TABLE snapshots FINAL' });
    assert.deepEqual(await sizes(), expected);
  });
});
