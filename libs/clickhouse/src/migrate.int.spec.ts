import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, testClickHouse, type TestClickHouse } from '@almanac/testing';
import { command, connectClickHouse, insertBytes, migrate, MigrationError, rows, type ClickHouse } from './index.js';

const shipped = fileURLToPath(new URL('../migrations/', import.meta.url));
const names = readdirSync(shipped).toSorted();

describe('migrations', () => {
  let server: TestClickHouse;
  let folder = '';
  let clickhouse: ClickHouse;
  let database = 0;

  before(async () => {
    server = await testClickHouse();
    folder = await mkdtemp(join(tmpdir(), 'almanac-migrations-'));
    await cp(shipped, folder, { recursive: true });
  });
  beforeEach(async () => {
    await clickhouse?.close();
    const login = { url: server.url, username: server.username, password: server.password };
    const operator = connectClickHouse(login);
    database += 1;
    await command(operator, { sql: `CREATE DATABASE test_${database}` });
    await operator.close();
    clickhouse = connectClickHouse({ ...login, database: `test_${database}` });
  });
  after(async () => {
    await clickhouse.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tables = (): Promise<unknown[]> =>
    rows(clickhouse, { sql: 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name' });

  it('are applied once, in order', async () => {
    assert.deepEqual(await migrate(clickhouse), names);
    assert.deepEqual(await migrate(clickhouse), []);
    assert.deepEqual(
      await tables(),
      [
        'event_figures',
        'events',
        'exports',
        'gaps',
        'market_words',
        'markets',
        'rebuilds',
        'recorded_spans',
        'schema_migrations',
        'series',
        'snapshots',
        'trades',
        'unannounced_batches',
      ].map((name) => ({ name })),
    );
  });

  it('result in one schema when several processes start at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(clickhouse)));
    assert.deepEqual(
      await rows(clickhouse, { sql: 'SELECT number FROM schema_migrations FINAL ORDER BY number' }),
      names.map((_, index) => ({ number: index + 1 })),
    );
    assert.equal((await tables()).length, 13);
  });

  it('refuse a file that changed after it was applied, and one that cannot run twice', async () => {
    const file = join(folder, '999_more.sql');
    await writeFile(file, 'CREATE TABLE IF NOT EXISTS more (id UInt8) ENGINE = MergeTree ORDER BY id;\n');
    await migrate(clickhouse, folder);
    await writeFile(file, 'CREATE TABLE IF NOT EXISTS more (id UInt16) ENGINE = MergeTree ORDER BY id;\n');
    await assert.rejects(migrate(clickhouse, folder), MigrationError);
    await writeFile(file, 'CREATE TABLE more (id UInt8) ENGINE = MergeTree ORDER BY id;\n');
    await assert.rejects(migrate(clickhouse, folder), MigrationError);
    for (const sql of ['DROP TABLE snapshots', 'INSERT INTO more VALUES (1)', 'INSERT INTO more SELECT 1']) {
      await writeFile(file, `${sql};\n`);
      await assert.rejects(migrate(clickhouse, folder), MigrationError);
    }
    await rm(file);
  });

  it('create a snapshots table where the last stored row wins, whatever was merged when', async () => {
    await migrate(clickhouse);
    const columns = ['ticker', 'series', 'ts', 'yes_best_bid', 'has_book', 'orderbook_yes'];
    const store = (ts: string, bid: number): Promise<number> =>
      insertBytes(clickhouse, {
        table: 'snapshots',
        columns,
        format: 'JSONEachRow',
        body: Buffer.from(
          JSON.stringify({
            ticker: 'A',
            series: 'S',
            ts,
            yes_best_bid: bid,
            has_book: true,
            orderbook_yes: [[0.5, 10.25]],
          }),
        ),
      });
    const last = new Map<string, number>();
    for (let round = 0; round < 60; round += 1) {
      const ts = `2026-0${1 + ((round * 7) % 3)}-01 00:00:00.00000${(round * 3) % 4}`;
      const bid = ((round * 37) % 100) / 100;
      await store(ts, bid);
      last.set(ts, bid);
      if (round % 17 === 16) await command(clickhouse, { sql: 'OPTIMIZE TABLE snapshots' });
    }
    const read = (): Promise<unknown[]> =>
      rows(clickhouse, { sql: 'SELECT toString(ts) AS t, yes_best_bid AS bid FROM snapshots FINAL ORDER BY ts' });
    const expected = [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([t, bid]) => ({ t, bid }));
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
    await migrate(clickhouse);
    const store = (title: string, seq: number): Promise<number> =>
      insertBytes(clickhouse, {
        table: 'markets',
        columns: ['ticker', 'series', 'title', 'close_us', 'floor_strike', 'seq'],
        format: 'JSONEachRow',
        body: Buffer.from(
          JSON.stringify({
            ticker: 'T95999.99',
            series: 'S',
            title,
            close_us: 1771993365058297,
            floor_strike: 95999.99,
            seq,
          }),
        ),
      });
    await store('Bitcoin above 95,999.99?', 12);
    await store('an older event that came late', 11);
    assert.deepEqual(
      await rows(clickhouse, {
        sql: `SELECT ticker, close_us, floor_strike, result, seq FROM markets FINAL WHERE hasAllTokens(lower(title), 'bitcoin above')`,
      }),
      [{ ticker: 'T95999.99', close_us: 1771993365058297, floor_strike: 95999.99, result: null, seq: 12 }],
    );
  });

  it('turn the gaps of an older archive into the spans between them', async () => {
    const later = (await readdir(folder)).filter((name) => name >= '009').toSorted();
    const older = await mkdtemp(join(tmpdir(), 'almanac-migrations-'));
    await cp(folder, older, { recursive: true });
    for (const name of later) await rm(join(older, name));
    await migrate(clickhouse, older);
    await rm(older, { recursive: true });
    const store = (table: string, columns: readonly string[], stored: readonly object[]): Promise<number> =>
      insertBytes(clickhouse, {
        table,
        columns,
        format: 'JSONEachRow',
        body: Buffer.from(stored.map((row) => JSON.stringify(row)).join('\n')),
      });
    const books = [
      ...[10, 20, 30, 40].map((us) => ({ ticker: 'A', us })),
      ...[10, 20].map((us) => ({ ticker: 'B', us })),
      ...[10, 20, 60].map((us) => ({ ticker: 'C', us })),
    ];
    await store(
      'snapshots',
      ['ticker', 'ts', 'has_book'],
      [
        ...books.map(({ ticker, us }) => ({ ticker, ts: `2026-01-01 00:00:00.0000${us}`, has_book: true })),
        { ticker: 'TOPS', ts: '2026-01-01 00:00:00', has_book: false },
      ],
    );
    const startUs = Date.UTC(2026, 0, 1) * 1_000;
    const gap = (ticker: string, start: number, end: number | null, reason: string) => ({
      ticker,
      start_us: startUs + start,
      end_us: end === null ? null : startUs + end,
      reason,
    });
    await store(
      'gaps',
      ['ticker', 'start_us', 'end_us', 'reason'],
      [gap('A', 20, 30, 'jump'), gap('A', 40, null, 'ended'), gap('C', 20, null, 'killed')],
    );
    assert.deepEqual(await migrate(clickhouse), names.slice(8));
    const sql = `SELECT ticker, start_us - ${startUs} AS start, end_us - ${startUs} AS end, end_reason
      FROM recorded_spans FINAL ORDER BY ticker, start_us SETTINGS output_format_json_quote_64bit_integers = 0`;
    assert.deepEqual(await rows(clickhouse, { sql }), [
      { ticker: 'A', start: 10, end: 20, end_reason: 'jump' },
      { ticker: 'A', start: 30, end: 40, end_reason: 'ended' },
      { ticker: 'B', start: 10, end: 20, end_reason: null },
      { ticker: 'C', start: 10, end: 20, end_reason: 'killed' },
      { ticker: 'C', start: 60, end: 60, end_reason: null },
    ]);
  });

  it('upgrade a catalogue of the second schema in place', async () => {
    const second = await mkdtemp(join(tmpdir(), 'almanac-migrations-'));
    for (const name of ['001_snapshots.sql', '002_catalogue.sql']) await cp(join(folder, name), join(second, name));
    await migrate(clickhouse, second);
    await rm(second, { recursive: true });
    const store = (seq: number, ...markets: readonly object[]): Promise<number> =>
      insertBytes(clickhouse, {
        table: 'markets',
        columns: ['ticker', 'series', 'event_ticker', 'words', 'venue_status', 'result', 'open_us', 'close_us', 'seq'],
        format: 'JSONEachRow',
        body: Buffer.from(markets.map((market, index) => JSON.stringify({ ...market, seq: seq + index })).join('\n')),
      });
    const old = { series: 'S', event_ticker: 'E', words: ' bitcoin up a' };
    await store(1, { ticker: 'A', ...old, event_ticker: 'LEFT', close_us: 9 }, { ticker: 'C', venue_status: 'active' });
    await store(
      3,
      { ticker: 'A', ...old, result: 'yes', open_us: 2, close_us: 5 },
      { ticker: 'B', ...old, open_us: 1, close_us: 7 },
      { ticker: 'D' },
    );
    assert.deepEqual(await migrate(clickhouse), names.slice(2));
    assert.deepEqual(await rows(clickhouse, { sql: 'SELECT word FROM market_words FINAL ORDER BY word' }), [
      { word: 'a' },
      { word: 'bitcoin' },
      { word: 'up' },
    ]);
    const found = await rows(clickhouse, {
      sql: `SELECT ticker, close_key, known FROM markets FINAL ORDER BY close_key DESC`,
    });
    assert.deepEqual(found, [
      { ticker: 'C', close_key: Number.MAX_SAFE_INTEGER, known: false },
      { ticker: 'B', close_key: 7, known: false },
      { ticker: 'A', close_key: 5, known: true },
      { ticker: 'D', close_key: -1, known: false },
    ]);
    const figures = 'series, markets_n, known_n, strikes_n, close_key, newest_close_us, oldest_close_us, open_us';
    assert.deepEqual(await rows(clickhouse, { sql: `SELECT event_ticker, ${figures} FROM event_figures FINAL` }), [
      {
        event_ticker: 'E',
        series: 'S',
        markets_n: 2,
        known_n: 1,
        strikes_n: 0,
        close_key: 7,
        newest_close_us: 7,
        oldest_close_us: 5,
        open_us: 1,
      },
    ]);
    // As after a background merge: every part then has the columns and the indexes.
    await eventually(async () => {
      const left = await rows(clickhouse, {
        sql: 'SELECT command FROM system.mutations WHERE database = currentDatabase() AND NOT is_done',
      });
      assert.deepEqual(left, []);
    });
    const byWord =
      'SELECT DISTINCT ticker FROM markets WHERE hasAllTokens(words, {words:Array(String)}) ORDER BY ticker';
    const settings = { force_data_skipping_indices: 'by_words' };
    assert.deepEqual(await rows(clickhouse, { sql: byWord, params: { words: ['bitcoin', 'up'] }, settings }), [
      { ticker: 'A' },
      { ticker: 'B' },
    ]);
    assert.deepEqual(await rows(clickhouse, { sql: byWord, params: { words: ['bitcoin', 'u'] }, settings }), []);
  });
});
