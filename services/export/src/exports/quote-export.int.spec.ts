import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { tableFormatIds } from '@almanac/contracts';
import { clickHouseProxy, eventually } from '@almanac/testing';
import { storeCandles, storeMarkets } from '../testing/archive.js';
import { type ExportHarness, refuses, startRunningHarness, tickerOf } from '../testing/harness.js';

describe('a quote of an export', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let event: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ event } = await harness.change());
  });

  it('gives the grant, the exact rows and the approximate bytes, without a side effect', async () => {
    const events = async () => (await harness.inspector.jsm.streams.info('EVT_EXPORT')).state.messages;
    const state = [await events(), harness.stubs.claims.length];
    await harness.storeEvent(5_000);
    const quote = await harness.quote({ event });
    assert.deepEqual(
      { ...quote, bytes_estimate: 0 },
      {
        dry_run: true,
        grant: 'plan',
        cost: { amount: 0, currency: 'USD' },
        options: [],
        would: null,
        row_count: 5_000,
        bytes_estimate: 0,
        markets: 1,
        remarks: [],
        parts: [],
      },
    );
    assert.deepEqual([await events(), harness.stubs.claims.length], state);
  });

  for (const format of tableFormatIds) {
    it(`of ${format} is close to the size of the file, and exact once the file exists`, async () => {
      await harness.storeEvent(10_000);
      const quote = await harness.quote({ event, format });
      const { id } = await harness.create({ event, format });
      const { bytes, row_count } = (await harness.endsOnce(id)).file;
      assert.equal(quote.row_count, row_count);
      // Compression improves with the length of the file, which a sample does not show.
      const most = format === 'csv' || format === 'json' ? 1.2 : 3;
      const ratio = quote.bytes_estimate / bytes;
      assert.ok(ratio > 1 / most && ratio < most, `${quote.bytes_estimate} for ${bytes}`);
      assert.deepEqual(await harness.quote({ event, format }), { ...quote, bytes_estimate: bytes });
    });
  }

  it('of a market without observations is one row', async () => {
    const { row_count, markets } = await harness.quote({ event, streams: ['settlement'] });
    assert.deepEqual([row_count, markets], [1, 1]);
  });

  it('of markets without observations says that candles of their venue are stored, and how to export them', async () => {
    const candled = `${event}-CANDLED`;
    const candle = { ticker: candled, series: 'KXTEST', source: 'kalshi', period_s: 60, stated_ts: '1700000060' };
    await storeMarkets(harness.fixture, [{ ticker: candled, event_ticker: event, series: 'KXTEST', seq: 1 }]);
    await storeCandles(harness.fixture, [
      { ...candle, start_ts: '1700000000', end_ts: '1700000060' },
      { ...candle, ticker: tickerOf(event), start_ts: '1700000000', end_ts: '1700000060' },
    ]);
    const said = '1 market has no observations, but candles of its venue. Add "candles" to streams to export it, too.';
    const quote = await harness.quote({ event });
    assert.deepEqual([quote.row_count, quote.remarks], [4, [said]]);
    const added = await harness.quote({ event, streams: ['snapshots', 'settlement', 'candles'] });
    assert.deepEqual([added.row_count, added.remarks], [5, []]);
    assert.deepEqual((await harness.quote({ event, streams: ['settlement'] })).remarks, []);
    assert.deepEqual((await harness.quote({ event, as_of: 1_700_000_059 })).remarks, []);
  });

  it('shows the refusal that the request would get', async () => {
    const { quote } = harness.stubs;
    const options = [{ type: 'buy_event', event, price: { amount: 500, currency: 'USD' } } as const];
    const paid = { amount: 500, currency: 'USD' };
    try {
      harness.stubs.quote = {
        grant: null,
        cost: paid,
        remarks: [],
        parts: [],
        refusal: { code: 'payment_required', detail: 'd', options },
      };
      const unpaid = await harness.quote({ event });
      const would = { status: 402, code: 'payment_required', detail: 'd', options, retry_after_s: null };
      assert.deepEqual([unpaid.grant, unpaid.cost, unpaid.options, unpaid.would], [null, paid, options, would]);
      harness.stubs.quote = {
        grant: null,
        cost: { amount: 0, currency: 'USD' },
        remarks: [],
        parts: [],
        refusal: { code: 'export_daily_limit', detail: 'd', retry_after_s: 7 },
      };
      const late = { status: 429, code: 'export_daily_limit', detail: 'd', options: [], retry_after_s: 7 };
      assert.deepEqual((await harness.quote({ event })).would, late);
    } finally {
      harness.stubs.quote = quote;
    }
  });

  it('is refused like the request itself when the target does not exist', async () => {
    await refuses(harness.quote({}), 'missing_target');
    await refuses(harness.quote({ event: 'UNKNOWN' }), 'event_not_found');
  });

  it('takes turns: many of one account keep no place from another one', async () => {
    const { CLICKHOUSE_URL } = harness.fixture.config;
    const loud = event;
    const held = new Set<() => void>();
    let [most, isHolding] = [0, true];
    const proxy = await clickHouseProxy(async ({ url }, forward) => {
      if (isHolding && url.includes(loud)) {
        await new Promise<void>((go) => {
          held.add(go);
          most = Math.max(most, held.size);
        });
      }
      await forward(CLICKHOUSE_URL);
    });
    const release = (): void => {
      isHolding = false;
      for (const go of held) go();
    };
    try {
      await harness.start({ CLICKHOUSE_URL: proxy.url, READS_CONCURRENT: 4 });
      const many = Promise.allSettled(Array.from({ length: 20 }, () => harness.quote({ event: loud })));
      await eventually(() => assert.ok(held.size > 0));
      const { event: quiet } = await harness.change();
      assert.equal((await harness.quote({ event: quiet })).row_count, 3);
      assert.deepEqual((await harness.list()).exports, []);
      release();
      for (const one of await many) assert.equal(one.status, 'fulfilled');
      assert.equal(most, 2);
    } finally {
      release();
      await harness.start();
      await proxy.stop();
    }
  });
});
