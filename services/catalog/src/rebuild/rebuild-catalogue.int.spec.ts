import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Bus } from '@almanac/bus';
import { type ClickHouse, command, makeShadows, RebuildRefusedError, rows, shadowOf } from '@almanac/clickhouse';
import { catalogRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type CatalogHarness, recordInParts, startHarness } from '../testing/harness.js';
import { catalogueTables, type Progress, rebuildCatalogue, type RebuildDeps } from './rebuild-catalogue.js';

const markets = 600;
const program = fileURLToPath(new URL('./main.js', import.meta.url));

const fact = (n: number) => ({
  kind: 'market' as const,
  ticker: `S-${n}`,
  series: `S${n % 3}`,
  event_ticker: `S-E${n % 100}`,
  title: `Is it ${n}?`,
  category: 'crypto',
  close_us: 1_000_000 + n,
  floor_strike: n % 2 === 0 ? `${n}.5` : null,
  result: n % 5 === 0 ? 'yes' : null,
});

describe('a rebuild of the catalogue', () => {
  let catalog: CatalogHarness;
  let clickhouse: ClickHouse;
  let bus: Bus;
  before(async () => {
    catalog = await startHarness();
    clickhouse = catalog.clickhouse;
    bus = await catalog.connect('catalog');
    const facts = Array.from({ length: markets }, (_, n) => fact(n));
    await recordInParts(catalog, facts);
    await catalog.recorded(
      { kind: 'series', id: 'S0', label: 'Zero', category: 'crypto', shape: 'rolling' },
      { ...fact(7), title: 'a later title' },
      { ...fact(8), event_ticker: 'S-MOVED' },
    );
  });
  after(() => catalog.stop());
  // Data of an earlier test must not influence the next.
  beforeEach(async () => {
    for (const table of catalogueTables) await command(clickhouse, { sql: `OPTIMIZE TABLE ${table} FINAL` });
  });

  const deps = (more: Partial<RebuildDeps> = {}): RebuildDeps => ({
    bus,
    clickhouse,
    onProgress: () => undefined,
    onUnreadable: (error) => assert.fail(String(error)),
    signal: new AbortController().signal,
    expiryMs: 2_000,
    ...more,
  });
  /**
   * All visible data. Figures are compared without the time of their computation, and events without markets have none.
   */
  const seen = async (): Promise<Record<string, unknown[]>> => {
    const all = (sql: string): Promise<unknown[]> => rows(clickhouse, { sql });
    return {
      series: await all('SELECT * FROM series FINAL ORDER BY id'),
      events: await all('SELECT * FROM events FINAL ORDER BY event_ticker'),
      markets: await all('SELECT * FROM markets FINAL ORDER BY ticker'),
      words: await all('SELECT DISTINCT word FROM market_words ORDER BY word'),
      figures: await all('SELECT * EXCEPT computed FROM event_figures FINAL WHERE markets_n > 0 ORDER BY event_ticker'),
    };
  };
  const leftOver = (): Promise<unknown[]> =>
    rows(clickhouse, {
      sql: `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%\\_rebuild%'`,
    });

  it('creates every row that the service wrote, and no other', async () => {
    const expected = await seen();
    assert.equal(expected['markets']?.length, markets);
    for (const table of catalogueTables) await command(clickhouse, { sql: `TRUNCATE TABLE ${table}` });
    const wrong = `INSERT INTO markets (ticker, series, event_ticker, title, seq) VALUES ('X', 'S0', 'S-E1', 'wrong', 1), ('S-1', 'S0', '', 'wrong', 999999999)`;
    await command(clickhouse, { sql: wrong });
    const progressReports: Progress[] = [];
    const { events } = await rebuildCatalogue(deps({ onProgress: (progress) => progressReports.push(progress) }));
    assert.deepEqual(await seen(), expected);
    assert.deepEqual(await leftOver(), []);
    assert.deepEqual([progressReports.at(-1)?.events, progressReports.at(-1)?.of], [events, events]);
  });

  it('is invisible to those who read and write meanwhile', async () => {
    const ended = new AbortController();
    let queries = 0;
    const listed = async (): Promise<void> => {
      const listing = await catalog.call('gateway', catalogRpc.listMarkets, { event: 'S-E2', limit: 200 });
      assert.equal(listing.markets.length, markets / 100);
      const { event, markets: its } = await catalog.call('gateway', catalogRpc.eventDetail, { event_id: 'S-E3' });
      assert.deepEqual([event.markets_n, its.length], [markets / 100, markets / 100]);
      queries += 1;
    };
    const reading = (async () => {
      while (!ended.signal.aborted) await listed();
    })().finally(() => ended.abort());
    let added = 0;
    const writing = (async () => {
      for (; !ended.signal.aborted; added += 1) {
        const ticker = `NEW-${added}`;
        const event_ticker = `NEW-E${added % 4}`;
        await catalog.recorded({ kind: 'market', ticker, event_ticker, series: 'NEW', close_us: 5_000_000 + added });
        const { markets: newest } = await catalog.call('gateway', catalogRpc.listMarkets, { event: event_ticker });
        assert.equal(newest[0]?.ticker, ticker);
      }
    })().finally(() => ended.abort());
    const rebuilding = (async () => {
      await eventually(() => assert.ok(queries > 0 && added > 0));
      for (let round = 0; round < 2 && !ended.signal.aborted; round += 1) await rebuildCatalogue(deps());
    })().finally(() => ended.abort());
    await Promise.all([reading, writing, rebuilding]);
    const counted = await rows(clickhouse, { sql: `SELECT count() AS n FROM markets FINAL WHERE series = 'NEW'` });
    assert.deepEqual(counted, [{ n: added }]);
    const rowsBefore = await seen();
    await rebuildCatalogue(deps());
    assert.deepEqual(await seen(), rowsBefore);
  });

  it('is refused while another one runs, which continues', async () => {
    const expected = await seen();
    const bothRebuilds = [deps({ expiryMs: 20_000 }), deps({ expiryMs: 20_000 })];
    const both = await Promise.allSettled(bothRebuilds.map(rebuildCatalogue));
    const refused = both.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.ok(refused[0]?.reason instanceof RebuildRefusedError, String(refused[0]?.reason));
    assert.deepEqual(await seen(), expected);
  });

  it('leaves nothing behind when it is stopped', async () => {
    const expected = await seen();
    const ending = new AbortController();
    const one = rebuildCatalogue(deps({ signal: ending.signal, onProgress: () => ending.abort() }));
    await assert.rejects(one, { name: 'AbortError' });
    assert.deepEqual(await leftOver(), []);
    assert.deepEqual(await seen(), expected);
  });

  it('loses nothing when it is killed, writes continue, and the next one is complete', async () => {
    await makeShadows(clickhouse, catalogueTables);
    await command(clickhouse, { sql: `INSERT INTO ${shadowOf('markets')} SELECT * FROM markets LIMIT 10` });
    await command(clickhouse, { sql: 'EXCHANGE TABLES series AND series_rebuild' });
    await command(clickhouse, { sql: 'INSERT INTO series SELECT * FROM series_rebuild' });
    await catalog.recorded({ kind: 'market', ticker: 'LATE', event_ticker: 'S-E1', close_us: 1 });
    const expected = await seen();
    assert.equal(
      expected['markets']?.some((row) => JSON.stringify(row).includes('LATE')),
      true,
    );
    await rebuildCatalogue(deps());
    assert.deepEqual(await seen(), expected);
    assert.deepEqual(await leftOver(), []);
  });

  it('ends with a message when its server becomes unavailable', async () => {
    const { clickhouse: login, nats } = catalog.logins;
    const env = {
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.password,
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      CLICKHOUSE_USER: login.username,
    };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    await once(child, 'exit');
    assert.equal(child.exitCode, 1);
    assert.match(output, /^The catalogue could not be rebuilt: .*ECONNREFUSED/);
  });

  it('does not block the next one for long when its process is killed', async () => {
    const expected = await seen();
    const { clickhouse: login, nats } = catalog.logins;
    const env = {
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.password,
      CLICKHOUSE_URL: login.url,
      CLICKHOUSE_USER: login.username,
      CLICKHOUSE_PASSWORD: login.password,
    };
    const child = spawn(process.execPath, [program], { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await eventually(async () => assert.notDeepEqual(await leftOver(), []));
    child.kill('SIGKILL');
    await ended;
    await rebuildCatalogue(deps());
    assert.deepEqual(await seen(), expected);
    assert.deepEqual(await leftOver(), []);
  });
});
