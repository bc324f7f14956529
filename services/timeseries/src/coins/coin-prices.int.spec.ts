import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { rows } from '@almanac/clickhouse';
import { archiveState, DomainError, timeseriesRpc } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { z } from 'zod';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { joinedColumns } from './join-sql.js';

const second = 1_000_000;
const dayUs = 1_771_977_600 * second;
const at = (s: number): number => dayUs + s * second;
const context = { requestId: 'test' };
const ticker = 'KXBTC15M-26FEB25-T1';

describe('prices of coins', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness();
  });
  after(() => tested.stop());

  const storePrices = async (coin: string, prices: readonly (readonly [us: number, price: string])[]) => {
    const lines = prices.map(
      ([us, price]) => `${coin}\t${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}\t${price}\n`,
    );
    const times = prices.map(([us]) => us);
    const market = { ticker: coin, rows: prices.length, min_us: Math.min(...times), max_us: Math.max(...times) };
    const input = { columns: 'coins' as const, markets: [market] };
    return tested.callers.importer.call(timeseriesRpc.store, { input, context, body: Buffer.from(lines.join('')) });
  };
  const join = async (coin: string, last = '') => {
    const input = { coin, from_us: at(-60), to_us: at(86_340), after: last };
    return tested.callers.importer.call(timeseriesRpc.joinCoinPrices, { input, context });
  };
  const pricesOf = async (of: string): Promise<(number | null)[]> => {
    const { body } = await tested.callers.read(timeseriesRpc.snapshots, {
      ticker: of,
      start_ts: dayUs / second - 1,
      step_ms: 0,
    });
    return z
      .object({ snapshots: z.array(z.object({ coin_price: z.number().nullable() })) })
      .parse(body)
      .snapshots.map(({ coin_price }) => coin_price);
  };
  const versionOf = async (of: string): Promise<number> => {
    const store = jetStreamStore(await tested.busOf('timeseries'));
    return (await store.load(subjects.archive(of), archiveState))?.state.version ?? 0;
  };

  it('are given to rows without one, up to a minute later, and to no others', async () => {
    await storePrices('BTC', [
      [at(0), '100.12345678'],
      [at(1) + 1, '101'],
    ]);
    for (const of of [ticker, 'KXBTCMAX-1', 'KXETH15M-1', 'btc-updown-1']) {
      await tested.fixture.market({ ticker: of });
      await tested.callers.store(of, [
        { us: at(0) - 1, bid: '0.4' },
        { us: at(0), bid: '0.4', sizes: ['5', '6'] },
        { us: at(1), bid: '0.4' },
        { us: at(2), bid: '0.4', price: '7' },
        { us: at(61) + 1, bid: '0.4' },
        { us: at(61) + 2, bid: '0.4' },
      ]);
    }
    const version = await versionOf(ticker);
    assert.deepEqual(await join('BTC'), {
      markets: [
        { ticker, rows: 3 },
        { ticker: 'btc-updown-1', rows: 3 },
      ],
      next: null,
    });
    const expected = [null, 100.12345678, 100.12345678, 7, 101, null];
    assert.deepEqual([await pricesOf(ticker), await pricesOf('btc-updown-1')], [expected, expected]);
    for (const other of ['KXBTCMAX-1', 'KXETH15M-1'])
      assert.deepEqual(await pricesOf(other), [null, null, null, 7, null, null]);
    assert.equal(await versionOf(ticker), version + 1);
    assert.deepEqual((await join('BTC')).markets, []);
    assert.equal(await versionOf(ticker), version + 1);
  });

  it('are replaced by closer ones, and by those of the row itself', async () => {
    await storePrices('BTC', [[at(0) + 500_000, '100.5']]);
    assert.deepEqual((await join('BTC')).markets[0], { ticker, rows: 1 });
    assert.deepEqual(await pricesOf(ticker), [null, 100.12345678, 100.5, 7, 101, null]);
    await tested.callers.store(ticker, [{ us: at(1), bid: '0.4', price: '8' }]);
    assert.deepEqual((await join('BTC')).markets, []);
    await tested.callers.store(ticker, [{ us: at(0), bid: '0.4' }]);
    assert.deepEqual((await join('BTC')).markets, [{ ticker, rows: 1 }]);
    assert.deepEqual(await pricesOf(ticker), [null, 100.12345678, 8, 7, 101, null]);
  });

  it('leave every other column of a row as it is', async () => {
    const of = 'KXSOL-1';
    await tested.fixture.market({ ticker: of });
    const book = { yes: '[(0.4,5.5)]', no: '[(0.5,2),(0.49,1)]' };
    await tested.callers.store(of, [{ us: at(5) + 1, venueUs: at(5), seq: 9, bid: '0.4', ask: '0.5', book }]);
    const stored = async (): Promise<Record<string, unknown> | undefined> => {
      const sql = 'SELECT * FROM snapshots FINAL WHERE ticker = {of:String}';
      return (await rows(tested.fixture.operator, { sql, params: { of } }, z.record(z.string(), z.unknown())))[0];
    };
    const earlier = await stored();
    await storePrices('SOL', [[at(5), '150']]);
    await join('SOL');
    assert.deepEqual(await stored(), { ...earlier, coin_price: 150, coin_price_age_us: 1, coin_price_joined: true });
    assert.deepEqual([...joinedColumns].toSorted(), Object.keys(earlier ?? {}).toSorted());
  });

  it('are joined a hundred markets at a time', async () => {
    const tickers = Array.from({ length: 101 }, (_, index) => `KXXRP-${String(index).padStart(3, '0')}`);
    await storePrices('XRP', [[at(0), '2']]);
    await Promise.all(tickers.map((of) => tested.callers.store(of, [{ us: at(1), bid: '0.4' }])));
    const first = await join('XRP');
    assert.deepEqual([first.markets.length, first.next], [100, 'KXXRP-099']);
    assert.deepEqual(await join('XRP', first.next ?? ''), { markets: [{ ticker: 'KXXRP-100', rows: 1 }], next: null });
  });

  it('are listed by coin, and a coin must be a symbol', async () => {
    const { coins } = await tested.callers.importer.call(timeseriesRpc.coins, { input: {}, context });
    assert.deepEqual(
      coins.find(({ coin }) => coin === 'BTC'),
      { coin: 'BTC', min_us: at(0), max_us: at(1) + 1 },
    );
    await assert.rejects(storePrices('BTC-USD', [[at(0), '1']]), (error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(error.code, 'invalid_input');
      return true;
    });
    const input = { coin: 'BTC', from_us: at(0), to_us: at(86_401) };
    await assert.rejects(
      tested.callers.importer.call(timeseriesRpc.joinCoinPrices, { input, context }),
      /at most a day/,
    );
  });
});
