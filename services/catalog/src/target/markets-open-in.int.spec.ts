import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { archive, dayUs, oldDay } from '../testing/archive.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

const hour = 3_600_000_000;

describe('the markets that were open in a time', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
  });
  after(() => catalog.stop());

  const read = (input: Partial<z.input<typeof catalogRpc.marketsOpenIn.input>>) =>
    catalog.call('timeseries', catalogRpc.marketsOpenIn, {
      start_us: oldDay,
      end_us: oldDay + dayUs,
      limit: 1_000,
      ...input,
    });

  it('are those of a series whose time from open to close touches it, in order and up to the limit', async () => {
    const hours = Array.from({ length: 24 }, (_, at) => `BTC-${String(at).padStart(2, '0')}-1`);
    const day = await read({ series: 'BTC' });
    assert.deepEqual(day, { tickers: hours, unknown: null });
    assert.deepEqual((await read({ series: 'BTC', limit: 3 })).tickers, hours.slice(0, 3));
    const part = { start_us: oldDay + 2 * hour, end_us: oldDay + 4 * hour };
    const few = (await read({ series: 'BTC', ...part })).tickers;
    assert.ok(few.length > 0 && few.length < 6, few.join());
    assert.deepEqual(
      few,
      hours.filter((ticker) => few.includes(ticker)),
    );
  });

  it('are those of an event or of a category', async () => {
    const { tickers } = await read({ series: 'BTC' });
    assert.deepEqual((await read({ event: 'BTC-03' })).tickers, ['BTC-03-1']);
    const inCategory = (await read({ category: 'crypto' })).tickers;
    assert.deepEqual(
      tickers.filter((ticker) => !inCategory.includes(ticker)),
      [],
    );
  });

  it('are none of a target that does not exist, which the answer says, or that is no id', async () => {
    const { tickers, unknown } = await read({ series: 'BTCC' });
    assert.deepEqual([tickers, unknown?.nearest], [[], 'BTC']);
    assert.deepEqual((await read({ series: 'BTC', start_us: 0, end_us: 1 })).unknown, null);
    assert.match((await read({ category: 'no such' })).unknown?.detail ?? '', /no category/);
    assert.deepEqual((await read({ event: 'a b' })).tickers, []);
  });

  it('are those of a venue, of which a market is only if a source stated it', async () => {
    const at = { open_us: oldDay, close_us: oldDay + hour };
    const history = [
      {
        known_us: oldDay,
        basis: 'recorded' as const,
        values: { open_us: String(oldDay), close_us: String(at.close_us) },
      },
    ];
    await catalog.recorded(
      { kind: 'market', ticker: 'KXSTATED-1', venue: 'kalshi', ...at, history },
      { kind: 'market', ticker: 'KXSILENT-1', ...at },
      { kind: 'market', ticker: 'MOVED-1', venue: 'polymarket', ...at },
    );
    // A later statement wins, and one without a venue erases nothing.
    await catalog.recorded({ kind: 'market', ticker: 'MOVED-1', venue: 'kalshi' });
    await catalog.recorded({ kind: 'market', ticker: 'KXSTATED-1', title: 'Stated' });
    assert.deepEqual((await read({ venue: 'kalshi' })).tickers, ['KXSTATED-1', 'MOVED-1']);
    assert.deepEqual((await read({ venue: 'kalshi', as_of: oldDay / 1e6 + 1 })).tickers, ['KXSTATED-1']);
    assert.deepEqual(await read({ venue: 'kalshi', start_us: 0, end_us: 1 }), { tickers: [], unknown: null });
    const { unknown } = await read({ venue: 'kalshy' });
    assert.deepEqual(unknown?.nearest, 'kalshi');
    assert.match(
      (await read({ venue: 'nasdaq' })).unknown?.detail ?? '',
      /no venue nasdaq.*import markets of an earlier/,
    );
    for (const [ticker, venue] of [
      ['KXSTATED-1', 'kalshi'],
      ['KXSILENT-1', null],
    ] as const) {
      assert.equal((await catalog.call('gateway', catalogRpc.marketDetail, { ticker })).venue, venue);
    }
  });

  it('as of a time are those that were listed by then, without a hint at later ones', async () => {
    assert.deepEqual(await read({ series: 'BTC', as_of: 1 }), { as_of: 1, tickers: [], unknown: null });
  });
});
