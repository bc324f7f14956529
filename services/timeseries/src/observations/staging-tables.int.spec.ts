import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { type Bus, subjects } from '@almanac/bus';
import { ClickHouseError, clickHouseRights, command, rows } from '@almanac/clickhouse';
import { archiveState, DomainError, timeseriesRpc } from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { createLogger } from '@almanac/runtime';
import { testClickHouse, type TestClickHouseOptions } from '@almanac/testing';
import { z } from 'zod';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { announcements } from './announcements.js';
import { insertQueue } from './insert-queue.js';
import { recentStates } from './recent-states.js';
import { type StagingDeps, StagingTables } from './staging-tables.js';
import { block, bookBlock, months, tradeBlock } from './testing/native-blocks.js';
import { watched } from './testing/watched-clickhouse.js';

/** A user of timeseries with the rights of an earlier release. */
const upgraded = {
  user: 'upgraded',
  password: 'before',
  tables: { read: clickHouseRights.timeseries.read, write: clickHouseRights.timeseries.write },
};
const startClickHouse = (options: TestClickHouseOptions) =>
  testClickHouse({ ...options, users: [...(options.users ?? []), upgraded] });

const nothing = { staging: null, has_books: false, has_zstd: false };
const snapshots = { table: 'snapshots', check: false } as const;
const log = createLogger('test', 'silent');
describe('a staging table', { timeout: 240_000 }, () => {
  let tested: TimeseriesHarness;
  let clickhouse: ClickHouse;
  let bus: Bus;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    tested = await startHarness({ sharded: false, startClickHouse });
    const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = tested.fixture.config;
    clickhouse = connectClickHouse({ url, username, password: password ?? '' });
    bus = await tested.busOf('timeseries');
  });
  after(async () => {
    for (const stop of stops) await stop();
    await clickhouse.close();
    await tested.stop();
  });

  /** StagingTables of another process, which dies or fails where the test wants it to. */
  const stagingWith = (
    store: Partial<EventStore>,
    own: ClickHouse = clickhouse,
    logged: StagingDeps['log'] = log,
  ): StagingTables => {
    const all = { ...jetStreamStore(bus), ...store };
    const inserts = insertQueue(clickhouse);
    const started = announcements({ clickhouse, inserts, store: all, recent: recentStates(), log });
    stops.push(() => started.stop());
    return new StagingTables({ clickhouse: own, announcements: started, log: logged });
  };
  const context = { requestId: 'test' };
  const opened = async (): Promise<string> => {
    const { staging } = await tested.callers.importer.call(timeseriesRpc.openStaging, { input: {}, context });
    assert.ok(staging);
    return staging;
  };
  const store = (staging: string, ticker: string, count = 2, seq: bigint | null = null) =>
    tested.callers.importer.call(timeseriesRpc.storeStaged, {
      input: { staging, columns: 'top', rows: count },
      body: block(ticker, seq),
      context,
    });
  const publish = (staging: string) =>
    tested.callers.importer.call(timeseriesRpc.publishStaging, { input: { staging }, context });
  const counted = async (sql: string, params = {}): Promise<number> => {
    const [first] = await rows(tested.fixture.operator, { sql, params }, z.object({ n: z.coerce.number() }));
    return first?.n ?? 0;
  };
  const stored = (ticker: string): Promise<number> =>
    counted('SELECT count() AS n FROM snapshots FINAL WHERE ticker = {ticker:String}', { ticker });
  const versionOf = async (ticker: string): Promise<number> =>
    (await jetStreamStore(bus).load(subjects.archive(ticker), archiveState))?.state.version ?? 0;
  const isOpen = async (staging: string): Promise<boolean> =>
    (await counted(`SELECT count() AS n FROM system.tables WHERE database = 'staging' AND name = 's_${staging}'`)) > 0;

  it('shows no row before it is published, and then all, with one new version of each market', async () => {
    const staging = await opened();
    for (const ticker of ['SEEN-A', 'SEEN-B', 'SEEN-A']) await store(staging, ticker);
    assert.deepEqual([await stored('SEEN-A'), await versionOf('SEEN-A')], [0, 0]);
    assert.deepEqual(await publish(staging), { markets: 2 });
    for (const ticker of ['SEEN-A', 'SEEN-B'])
      assert.deepEqual([await stored(ticker), await versionOf(ticker)], [2, 1], ticker);
    const { state } = (await jetStreamStore(bus).load(subjects.archive('SEEN-A'), archiveState)) ?? assert.fail();
    assert.deepEqual([state.min_us, state.max_us], months.map(Number));
    assert.equal(await isOpen(staging), false);
  });

  it('stores batches together that lack different columns', async () => {
    const staging = await opened();
    const numbers = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? null : BigInt(at)));
    await Promise.all(numbers.map((seq, at) => store(staging, `MIX-${at}`, 2, seq)));
    await publish(staging);
    const sql = `SELECT toString(seq) AS seq FROM snapshots FINAL WHERE ticker LIKE 'MIX-%'
      ORDER BY toUInt8(substring(ticker, 5)), ts`;
    const found = await rows(tested.fixture.operator, { sql }, z.object({ seq: z.string().nullable() }));
    assert.deepEqual(
      found.map(({ seq }) => seq),
      numbers.flatMap((seq) => [null, seq === null ? null : String(seq)]),
    );
  });

  it('of trades moves into those, with their own change', async () => {
    const input = { table: 'trades' } as const;
    const { staging } = await tested.callers.importer.call(timeseriesRpc.openStaging, { input, context });
    assert.ok(staging !== null && staging.endsWith('_trades'));
    const body = tradeBlock();
    const rowsOf = { staging, columns: 'trades', rows: 1 } as const;
    await tested.callers.importer.call(timeseriesRpc.storeStaged, { input: rowsOf, body, context });
    await publish(staging);
    const sql = `SELECT trade_id || ' ' || toString(venue_ts) || ' ' || toString(price) || ' ' || taker_side AS trade
      FROM trades FINAL WHERE ticker = 'TRADED'`;
    const found = await rows(tested.fixture.operator, { sql }, z.object({ trade: z.string() }));
    assert.deepEqual(found, [{ trade: 't-1 2026-01-01 00:00:00.000000 0.25 no' }]);
    const { state } = (await jetStreamStore(bus).load(subjects.archive('TRADED'), archiveState)) ?? assert.fail();
    assert.deepEqual([state.version, state.min_us, await isOpen(staging)], [1, null, false]);
  });

  it('takes books as lists of levels', async () => {
    const { staging, has_books } = await tested.callers.importer.call(timeseriesRpc.openStaging, {
      input: {},
      context,
    });
    assert.ok(staging !== null && has_books);
    const body = bookBlock();
    const input = { staging, columns: 'l2', rows: 1 } as const;
    await tested.callers.importer.call(timeseriesRpc.storeStaged, { input, body, context });
    await publish(staging);
    const sql = `SELECT toString(tuple(has_book, orderbook_yes, orderbook_no, yes_best_bid_size)) AS book
      FROM snapshots FINAL WHERE ticker = 'BOOK-A'`;
    const found = await rows(tested.fixture.operator, { sql }, z.object({ book: z.string() }));
    assert.deepEqual(found, [{ book: '(true,[(0.48,12.5),(0.47,9000000000)],[],12.5)' }]);
  });

  it('may be published again, which stores nothing', async () => {
    const staging = await opened();
    await store(staging, 'AGAIN');
    await publish(staging);
    await publish(staging);
    assert.equal(await counted("SELECT count() AS n FROM snapshots WHERE ticker = 'AGAIN'"), 2);
  });

  it('whose process died before the events is announced by another, also if nobody publishes it again', async () => {
    const staging = await opened();
    await store(staging, 'KILLED');
    const failing = stagingWith({ append: () => Promise.reject(new Error('killed')) });
    await assert.rejects(
      failing.publish(staging, () => 1_000),
      /killed/,
    );
    assert.deepEqual([await stored('KILLED'), await versionOf('KILLED')], [2, 0]);
    const inserts = insertQueue(clickhouse);
    const other = announcements({ clickhouse, inserts, store: jetStreamStore(bus), recent: recentStates(), log });
    // With those of the tests before, whose notes are removed later.
    assert.ok((await other.announceOpen(0)) > 0);
    await other.stop();
    assert.equal(await versionOf('KILLED'), 1);
    await publish(staging);
    assert.equal(await isOpen(staging), false, 'the next attempt removes what is left');
  });

  it('of which one partition moved before the process died is completed by the next attempt, and announced', async () => {
    const staging = await opened();
    await store(staging, 'HALF');
    let moves = 0;
    const dying = watched(clickhouse, (sql) => {
      if (sql.includes('MOVE PARTITION') && ++moves === 2) throw new Error('killed');
    });
    await assert.rejects(
      stagingWith({}, dying).publish(staging, () => 1_000),
      /cannot store data right now/,
    );
    assert.deepEqual([await stored('HALF'), await versionOf('HALF')], [1, 0]);
    assert.deepEqual(await publish(staging), { markets: 1 });
    assert.deepEqual([await stored('HALF'), await versionOf('HALF')], [2, 1]);
  });

  it('that was announced before its last partition moved is announced again', async () => {
    const staging = await opened();
    await store(staging, 'LATE');
    const uuid = staging.slice(11).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    await command(tested.fixture.operator, {
      sql: `INSERT INTO unannounced_batches (id, announced, changes) VALUES ('${uuid}', true, '')`,
    });
    await publish(staging);
    assert.deepEqual([await stored('LATE'), await versionOf('LATE')], [2, 1]);
  });

  it('that is gone is an error, so no row is lost unnoticed', async () => {
    const staging = `1700000000_${'0'.repeat(32)}`;
    for (const call of [() => store(staging, 'GONE'), () => publish(staging)])
      await assert.rejects(call, (error) => error instanceof DomainError && /are gone/.test(error.message));
  });

  it('of an import that ended long ago is removed when another begins', async () => {
    const old = `1700000000_${'1'.repeat(32)}`;
    await command(tested.fixture.operator, { sql: `CREATE TABLE staging.s_${old} AS snapshots` });
    const young = await opened();
    await opened();
    assert.deepEqual([await isOpen(old), await isOpen(young)], [false, true]);
  });

  it('is not there on a cluster, which cannot move a partition on all of its shards at once', async () => {
    assert.deepEqual(await stagingWith({}, { ...clickhouse, isReplicated: true }).open(snapshots), {
      ...nothing,
      missing: 'cluster',
    });
  });

  it('is not there without the rights to it, which is logged once, until the rights are there', async () => {
    const { CLICKHOUSE_URL: url } = tested.fixture.config;
    const earlier = connectClickHouse({ url, username: upgraded.user, password: upgraded.password });
    stops.push(() => earlier.close());
    let { client } = earlier;
    const own: ClickHouse = {
      ...earlier,
      get client() {
        return client;
      },
    };
    const warnings: string[] = [];
    const warn = (_: unknown, line: string): void => void warnings.push(line);
    const staging = stagingWith({}, own, { warn });
    for (const check of [true, false])
      assert.deepEqual(await staging.open({ ...snapshots, check }), { ...nothing, missing: 'rights' });
    assert.match(
      warnings.join('; '),
      /^the user timeseries may not use tables of the database staging[^;]*; apply users\.d/,
    );
    ({ client } = clickhouse);
    assert.deepEqual(await staging.open({ ...snapshots, check: true }), {
      staging: null,
      missing: null,
      has_books: true,
      has_zstd: true,
    });
    const { staging: table } = await staging.open(snapshots);
    assert.ok(table !== null && (await isOpen(table)));
  });

  it('refuses a block that has other rows than it declares', async () => {
    await assert.rejects(store(await opened(), 'COUNT', 3), /has 2 rows, but it declares 3/);
  });

  it('takes compressed batches, stored together, and refuses one that lacks rows or its end', async () => {
    const { staging, has_zstd } = await tested.callers.importer.call(timeseriesRpc.openStaging, { input: {}, context });
    assert.ok(staging !== null && has_zstd);
    const packed = (ticker: string, { count = 2, end = Infinity } = {}) =>
      tested.callers.importer.call(timeseriesRpc.storeStaged, {
        input: { staging, columns: 'top', rows: count, coding: 'zstd' },
        body: zstdCompressSync(block(ticker)).subarray(0, end),
        context,
      });
    let inserts = 0;
    const tables = stagingWith(
      {},
      watched(clickhouse, (sql) => {
        if (sql.startsWith('INSERT')) inserts += 1;
      }),
    );
    const { signal } = new AbortController();
    const all = Array.from({ length: 12 }, (_, at) =>
      tables.store(
        { staging, columns: 'top', rows: 2, coding: 'zstd' },
        { body: zstdCompressSync(block(`ZSTD-${at}`)), signal },
      ),
    );
    await Promise.all(all);
    assert.equal(inserts, 2, 'the first, and those that waited for it');
    await assert.rejects(packed('ZSTD-COUNT', { count: 3 }), /has 2 rows, but it declares 3/);
    await assert.rejects(packed('ZSTD-END', { end: 30 }));
    await publish(staging);
    assert.equal(await counted("SELECT count() AS n FROM snapshots FINAL WHERE match(ticker, '^ZSTD-[0-9]')"), 24);
  });

  it('merges parts when many are alike, also without the right to say so', async () => {
    const staging = await opened();
    const settings =
      "SELECT count() AS n FROM system.tables WHERE name = {name:String} AND engine_full LIKE '%merge_selector_base = 50%'";
    assert.equal(await counted(settings, { name: `s_${staging}` }), 1);
    const older = watched(clickhouse, (sql) => {
      if (sql.includes('MODIFY SETTING'))
        throw new ClickHouseError({ message: 'no right', code: '497', type: 'ACCESS_DENIED' });
    });
    const { staging: other } = await stagingWith({}, older).open(snapshots);
    assert.ok(other !== null && (await isOpen(other)));
    assert.equal(await counted(settings, { name: `s_${other}` }), 0);
  });
});
