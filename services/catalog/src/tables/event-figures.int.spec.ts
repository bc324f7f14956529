import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command, rows } from '@almanac/clickhouse';
import { type CatalogueFact, catalogRpc } from '@almanac/contracts';
import { startHarness, type CatalogHarness } from '../testing/harness.js';
import { allFiguresSql, inGroups } from './event-figures.js';

const columns =
  'event_ticker, series, markets_n, known_n, strikes_n, close_key, toString(newest_close_us), toString(oldest_close_us), toString(open_us)';

describe('the figures of an event', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
  });
  after(() => catalog.stop());

  const market = (ticker: string, event_ticker: string, more: object = {}): CatalogueFact => ({
    kind: 'market',
    ticker,
    series: 'S',
    event_ticker,
    ...more,
  });
  const figuresOf = (event: string): Promise<unknown[]> =>
    rows(catalog.clickhouse, {
      sql: 'SELECT series, markets_n, known_n, strikes_n, close_key, newest_close_us, open_us FROM event_figures FINAL WHERE event_ticker = {event:String}',
      params: { event },
    });
  /**
   * The stored figures, and figures computed from all markets. Events that lost all their markets are in the first
   * only.
   */
  const storedAndComputed = async (): Promise<[unknown[], unknown[]]> => {
    const { clickhouse } = catalog;
    await command(clickhouse, { sql: 'CREATE OR REPLACE TABLE computed AS event_figures' });
    await command(clickhouse, { sql: allFiguresSql({ from: 'markets', into: 'computed' }) });
    const all = (table: string): Promise<unknown[]> =>
      rows(clickhouse, { sql: `SELECT ${columns} FROM ${table} FINAL WHERE markets_n > 0 ORDER BY event_ticker` });
    return [await all('event_figures'), await all('computed')];
  };

  it('count its markets, from the earliest open to the latest close', async () => {
    await catalog.recorded(
      market('A-1', 'A', { open_us: 20, close_us: 30, floor_strike: '1.5', result: 'yes' }),
      market('A-2', 'A', { open_us: 10, close_us: 40, settlement_us: 41 }),
      market('A-3', 'A', { close_us: 35 }),
      market('LOOSE', ''),
    );
    const figures = { series: 'S', markets_n: 3, known_n: 2, strikes_n: 1, close_key: 40, newest_close_us: 40 };
    assert.deepEqual(await figuresOf('A'), [{ ...figures, open_us: 10 }]);
    assert.deepEqual(await figuresOf(''), []);
    await catalog.recorded(market('A-4', 'A', { venue_status: 'active' }), market('A-3', 'A', { result: 'no' }));
    const later = { ...figures, markets_n: 4, known_n: 3, close_key: Number.MAX_SAFE_INTEGER };
    assert.deepEqual(await figuresOf('A'), [{ ...later, open_us: 10 }]);
  });

  it('follow a market from one event to another, even when the first event has no market left', async () => {
    await catalog.recorded(market('B-1', 'B', { close_us: 50 }), market('B-2', 'C', { close_us: 60 }));
    await command(catalog.clickhouse, { sql: 'OPTIMIZE TABLE markets FINAL' });
    await catalog.recorded(market('B-1', 'C'));
    const zeros = { series: '', markets_n: 0, known_n: 0, strikes_n: 0, close_key: -1 };
    assert.deepEqual(await figuresOf('B'), [{ ...zeros, newest_close_us: null, open_us: null }]);
    const both = { ...zeros, series: 'S', markets_n: 2, close_key: 60, newest_close_us: 60, open_us: null };
    assert.deepEqual(await figuresOf('C'), [both]);
  });

  it('equal the stored markets when two processes write at once, markets move and batches repeat', async () => {
    const end = await catalog.another();
    const names = ['E', 'E1.5', `it's "q" \\ \t ['x',\\'y']`, '東京', '%41', 'E2', 'E3'];
    const event = (n: number): string => names[n % names.length] ?? '';
    let last = 0;
    for (let round = 0; round < 6; round += 1) {
      const facts = Array.from({ length: 120 }, (_, n) =>
        market(`M-${n % 60}`, event(n * 5 + round * (n % 3)), { close_us: 1_000 + ((n * 37 + round) % 91) }),
      );
      const calls = [0, 40, 80].map((at) =>
        catalog.call('ingest', catalogRpc.record, { facts: facts.slice(at, at + 40) }),
      );
      last = Math.max(last, ...(await Promise.all(calls)).map(({ last_seq }) => last_seq));
      if (round === 2) await catalog.restart();
    }
    await catalog.call('ingest', catalogRpc.awaitReadable, { seq: last });
    await end();
    const [stored, computed] = await storedAndComputed();
    assert.deepEqual(stored, computed);
    assert.equal(computed.length, 9);
  });

  it('are read in statements that fit into a request line', () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(255, 'é'));
    const groups = [...inGroups(names, (name) => name)];
    assert.deepEqual(groups.flat(), names);
    for (const group of groups) assert.ok(encodeURIComponent(JSON.stringify(group)).length < 400_000);
    assert.deepEqual([...inGroups([], String)], []);
  });
});
