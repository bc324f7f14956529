import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { exportFormatIds } from '@almanac/contracts';
import { startExport } from './start.js';
import { openStage, refuses, type Stage, tickerOf } from './testing/stage.js';
import { testRuntime } from './testing/world.js';

describe('a quote of an export', { timeout: 240_000 }, () => {
  let stage: Stage;
  let event: string;
  let stop: () => Promise<void>;
  before(async () => {
    stage = await openStage();
    const started = testRuntime();
    ({ stop } = started);
    await startExport(stage.world.config, started.runtime);
  });
  after(async () => {
    await stop();
    await stage.close();
  });
  beforeEach(async () => {
    ({ event } = await stage.change());
  });

  it('tells the grant, the rows exactly and the bytes about, and does nothing', async () => {
    const events = async () => (await stage.inspector.jsm.streams.info('EVT_EXPORT')).state.messages;
    const kept = [await events(), stage.neighbours.claims.length];
    await stage.storeEvent(20_000);
    const told = await stage.quote({ event });
    assert.deepEqual(
      { ...told, bytes_estimate: 0 },
      {
        dry_run: true,
        grant: 'plan',
        cost: { amount: 0, currency: 'USD' },
        options: [],
        would: null,
        row_count: 20_000,
        bytes_estimate: 0,
        markets: 1,
      },
    );
    assert.deepEqual([await events(), stage.neighbours.claims.length], kept);
  });

  for (const format of exportFormatIds) {
    it(`of ${format} comes near to the file, and is exact once that is there`, async () => {
      await stage.storeEvent(30_000);
      const told = await stage.quote({ event, format });
      const { id } = await stage.create({ event, format });
      const { bytes, row_count } = (await stage.endsOnce(id)).file;
      assert.equal(told.row_count, row_count);
      // What is packed shrinks with the length of the file, of which a sample knows nothing.
      const most = format === 'csv' || format === 'json' ? 1.2 : 3;
      const ratio = told.bytes_estimate / bytes;
      assert.ok(ratio > 1 / most && ratio < most, `${told.bytes_estimate} for ${bytes}`);
      assert.deepEqual(await stage.quote({ event, format }), { ...told, bytes_estimate: bytes });
    });
  }

  it('of a market without observations is one row', async () => {
    const { row_count, markets } = await stage.quote({ event, streams: ['settlement'] });
    assert.deepEqual([row_count, markets], [1, 1]);
  });

  it('tells how the request would be refused', async () => {
    const { quote } = stage.neighbours;
    const options = [{ type: 'buy_event', event, price: { amount: 500, currency: 'USD' } } as const];
    const paid = { amount: 500, currency: 'USD' };
    try {
      stage.neighbours.quote = { grant: null, cost: paid, refusal: { code: 'payment_required', detail: 'd', options } };
      const unpaid = await stage.quote({ event });
      const would = { status: 402, code: 'payment_required', detail: 'd', options, retry_after_s: null };
      assert.deepEqual([unpaid.grant, unpaid.cost, unpaid.options, unpaid.would], [null, paid, options, would]);
      stage.neighbours.quote = {
        grant: null,
        cost: { amount: 0, currency: 'USD' },
        refusal: { code: 'export_daily_limit', detail: 'd', retry_after_s: 7 },
      };
      const late = { status: 429, code: 'export_daily_limit', detail: 'd', options: [], retry_after_s: 7 };
      assert.deepEqual((await stage.quote({ event })).would, late);
    } finally {
      stage.neighbours.quote = quote;
    }
  });

  it('is refused as the request itself where there is no such thing to export', async () => {
    await refuses(stage.quote({}), 'missing_target');
    await refuses(stage.quote({ event, ticker: tickerOf(event) }), 'ambiguous_target');
    await refuses(stage.quote({ event: 'UNKNOWN' }), 'event_not_found');
    await refuses(stage.quote({ series: 'KXTEST', day: '2026-02-30' }), 'invalid_input');
  });
});
