import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { timeseriesRpc } from '@almanac/contracts';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { storeTrades } from '../testing/store-trades.js';

const second = 1_000_000;
const hour = 3_600;
const startS = 1_771_992_000;
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');

describe('an answer without rows', () => {
  let tested: TimeseriesHarness;
  const [first, last] = [startS + 10 * hour, startS + 20 * hour];
  before(async () => {
    tested = await startHarness();
    const { fixture, callers } = tested;
    const times = { open_us: startS * second, close_us: (startS + 24 * hour) * second };
    const listed = { open_us: String(times.open_us), close_us: String(times.close_us) };
    const history = [{ known_us: startS * second, basis: 'recorded' as const, values: listed }];
    for (const ticker of ['M', 'NONE']) {
      await fixture.market({ ticker, series: 'S', event_ticker: 'E', ...times, history });
    }
    await callers.store(
      'M',
      [first, last].map((s) => ({ us: s * second, bid: '0.5', ask: '0.6' })),
    );
    await storeTrades(callers.importer, 'M', [{ id: 't', venueUs: last * second, side: 'yes' }]);
  });
  after(() => tested.stop());

  const detailOf = async (given: object, ticker = 'M'): Promise<string | undefined> => {
    const { body, meta } = await tested.callers.snapshots({ ticker, ...given });
    assert.equal(body.count, 0);
    return meta.notices?.find(({ code }) => code === 'window_empty')?.detail;
  };

  it('of a start alone is cut, and names the first row after the window', async () => {
    const { body, meta } = await tested.callers.snapshots({ ticker: 'M', start_ts: startS });
    assert.deepEqual([body.count, body.clamped, body.has_more], [0, true, true]);
    assert.deepEqual(
      meta.notices?.map(({ code, loc, nearest }) => [code, loc, nearest]),
      [
        ['window_clamped', ['query', 'start_ts'], String(startS + 6 * hour)],
        ['window_empty', ['query', 'start_ts'], String(first)],
      ],
    );
    assert.match(meta.notices?.[1]?.detail ?? '', new RegExp(`The first one after is at ${iso(first)}, 4 h later`));
  });

  it('names the rows on both sides of a hole, and the last row of all', async () => {
    const hole = await detailOf({ start_ts: first + 3 * hour, end_ts: last - 2 * hour });
    assert.match(
      hole ?? '',
      new RegExp(`before is at ${iso(first)}, 3 h earlier.*after is at ${iso(last)}, 2 h later`),
    );
    const later = await detailOf({ start_ts: last + 60, end_ts: last + 90 });
    assert.match(later ?? '', new RegExp(`before is at ${iso(last)}, 1 min earlier\\.$`));
  });

  it('says that nothing is stored', async () => {
    assert.equal(await detailOf({ start_ts: startS }, 'NONE'), 'No observation of this market is stored.');
  });

  it('as of a time names no later row', async () => {
    const asOf = first + hour;
    assert.match((await detailOf({ start_ts: asOf, as_of: asOf })) ?? '', new RegExp(`${iso(first)}, 1 h earlier\\.$`));
    const none = await detailOf({ start_ts: startS, as_of: startS + hour });
    assert.equal(none, 'No observation of this market is stored.');
  });

  it('has the notice in every form, and for trades and candles', async () => {
    const window = { ticker: 'M', start_ts: startS, end_ts: startS + hour };
    const { snapshots, trades, candles } = timeseriesRpc;
    for (const form of [
      { format: 'csv', whole: true },
      { format: 'ndjson' },
      { format: 'parquet', whole: true },
    ] as const) {
      const { meta } = await tested.callers.bytes(snapshots, { ...window, ...form });
      assert.deepEqual(
        meta.notices?.map(({ nearest }) => nearest),
        [String(first)],
        form.format,
      );
      const read = await tested.callers.bytes(trades, { ...window, ...form });
      assert.deepEqual(
        read.meta.notices?.map(({ nearest }) => nearest),
        [String(last)],
        form.format,
      );
    }
    const read = await Promise.all([tested.callers.read(trades, window), tested.callers.read(candles, window)]);
    for (const { meta } of read) {
      assert.deepEqual(
        meta.notices?.map(({ code }) => code),
        ['window_empty'],
      );
    }
  });
});
