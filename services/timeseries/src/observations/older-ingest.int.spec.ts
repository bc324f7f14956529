import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, rpcClient } from '@almanac/bus';
import { rows } from '@almanac/clickhouse';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { type RunningService, startService, startFixture, type TimeseriesFixture } from '../testing/fixture.js';

/** A row of full books up to `orderbook_no`, as an ingest from before 008_gaps.sql sends it. */
const older = ['T', 'S', '1771992900.000001', '\\N', '1', '0.4', '0.6', '61000', '1', '[(0.4,10)]', '[(0.4,5)]'];

describe('a batch of full books', () => {
  let fixture: TimeseriesFixture;
  let service: RunningService;
  let ingest: Bus;

  before(async () => {
    fixture = await startFixture();
    service = await startService(fixture);
    ingest = await fixture.busOf('ingest');
  });
  after(async () => {
    await service.stop();
    await ingest.close();
    await fixture.stop();
  });

  const store = (ticker: string, lines: readonly (readonly string[])[]) =>
    rpcClient(ingest).call(timeseriesRpc.store, {
      input: { columns: 'l2', markets: [{ ticker, rows: lines.length, min_us: 1, max_us: 2 }] },
      context: { requestId: 'test' },
      body: Buffer.from(lines.map((line) => `${[ticker, ...line.slice(1)].join('\t')}\n`).join('')),
    });
  const stored = (ticker: string) =>
    rows(fixture.operator, {
      sql: `SELECT toString(coin_price) AS price, coin_price_age_us AS age, length(orderbook_no) AS deep FROM snapshots
        WHERE ticker = {ticker:String}`,
      params: { ticker },
    });

  it('of an older ingest without price ages is stored without them', async () => {
    assert.deepEqual(await store('OLDER', [older]), { rows: 1 });
    assert.deepEqual(await stored('OLDER'), [{ price: '61000', age: null, deep: 1 }]);
  });

  it('of this release stores the price age', async () => {
    assert.deepEqual(await store('NOW', [[...older, '250000']]), { rows: 1 });
    assert.deepEqual(await stored('NOW'), [{ price: '61000', age: 250_000, deep: 1 }]);
  });

  it('that mixes two releases is refused as a whole', async () => {
    await assert.rejects(store('BOTH', [older, [...older, '250000']]), (error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(error.code, 'invalid_input');
      return true;
    });
    assert.deepEqual(await stored('BOTH'), []);
  });
});
