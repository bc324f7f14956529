import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testClickHouse, type TestClickHouse } from '@almanac/testing';
import { type ClickHouse, command, connectClickHouse, insertBytes, migrate, rows } from './index.js';

const shipped = fileURLToPath(new URL('../migrations/', import.meta.url));

/** What a process of the release before sends. */
const olderColumns = ['ticker', 'ts', 'has_book', 'orderbook_yes', 'orderbook_no'];
const line = (...cells: readonly string[]): string => `${cells.join('\t')}\n`;
const book = (ticker: string, second: number, yes: string, no: string): string =>
  line(ticker, `2026-01-01 00:00:0${second}`, 'true', yes, no);

describe('the columns of sizes', () => {
  let server: TestClickHouse;
  let clickhouse: ClickHouse;
  before(async () => {
    server = await testClickHouse();
    clickhouse = connectClickHouse({ url: server.url, username: server.username, password: server.password });
  });
  after(async () => {
    await clickhouse.close();
    await server.stop();
  });

  const store = (columns: readonly string[], body: string): Promise<number> =>
    insertBytes(clickhouse, { table: 'snapshots', columns, format: 'TabSeparated', body: Buffer.from(body) });
  const sizes = (): Promise<unknown[]> =>
    rows(clickhouse, {
      sql: `SELECT ticker, toString(yes_best_bid_size) AS bid, toString(yes_best_ask_size) AS ask FROM snapshots FINAL
        ORDER BY ticker, ts`,
    });

  it('follow from the books of rows of the schema before, of older processes and of this one', async () => {
    const older = await mkdtemp(join(tmpdir(), 'almanac-migrations-'));
    await cp(shipped, older, { recursive: true });
    for (const name of await readdir(older)) if (name >= '017') await rm(join(older, name));
    await migrate(clickhouse, older);
    await rm(older, { recursive: true });
    await store(
      olderColumns,
      book('A', 0, '[(0.5,10.25),(0.49,3)]', '[(0.48,66031.01)]') + book('A', 1, '[]', '[(0.4,5)]'),
    );
    await store(['ticker', 'ts', 'yes_best_bid'], line('A', '2026-01-01 00:00:02', '0.5'));
    await migrate(clickhouse);
    await store(olderColumns, book('B', 0, '[(0.5,7)]', '[]'));
    const stated = ['ticker', 'ts', 'yes_best_bid_size', 'yes_best_ask_size'];
    await store(stated, line('C', '2026-01-01 00:00:00', '300.000001', '\\N'));
    const expected = [
      { ticker: 'A', bid: '10.25', ask: '66031.01' },
      { ticker: 'A', bid: null, ask: '5' },
      { ticker: 'A', bid: null, ask: null },
      { ticker: 'B', bid: '7', ask: null },
      { ticker: 'C', bid: '300.000001', ask: null },
    ];
    assert.deepEqual(await sizes(), expected);
    await command(clickhouse, { sql: 'OPTIMIZE TABLE snapshots FINAL' });
    assert.deepEqual(await sizes(), expected);
  });
});
