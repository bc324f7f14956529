import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertBytes } from '@almanac/clickhouse';
import { catalogRpc } from '@almanac/contracts';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
});
after(() => catalog.stop());

const us = (s: number): number => (1_771_977_600 + s) * 1_000_000;

test('opens and closes of a coin get the last price before them, up to a minute old', async () => {
  const prices = [
    { coin: 'BTC', ts: '1771977600.000000', price: '100.5' },
    { coin: 'BTC', ts: '1771978499.000001', price: '101' },
    { coin: 'ETH', ts: '1771977600.000000', price: '9' },
  ];
  const body = Buffer.from(prices.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(catalog.clickhouse, {
    table: 'coin_prices',
    columns: ['coin', 'ts', 'price'],
    format: 'JSONEachRow',
    body,
  });
  const market = (ticker: string, open: number, close: number) =>
    ({ kind: 'market', ticker, open_us: us(open), close_us: us(close) }) as const;
  await catalog.recorded(
    market('KXBTC15M-A', 0, 900),
    market('KXBTC15M-B', 60, 1_000),
    market('KXBTC15M-C', 61, 1_000),
    market('KXETH15M-A', 0, 900),
    market('btc-updown-1', -1, 899),
    market('KXBTC15M-D', -900, 90_000),
  );
  const moments = (more: object = {}) =>
    catalog.call('ingest', catalogRpc.coinMoments, { coin: 'BTC', from_us: us(0), to_us: us(86_400), ...more });
  const open = { price: '100.5', us: us(0) };
  assert.deepEqual(await moments(), {
    markets: [
      { ticker: 'KXBTC15M-A', open_price: open, last_price: { price: '101', us: us(899) + 1 } },
      { ticker: 'KXBTC15M-B', open_price: open, last_price: null },
    ],
    next: null,
  });
  assert.deepEqual(
    (await moments({ after: 'KXBTC15M-A' })).markets.map(({ ticker }) => ticker),
    ['KXBTC15M-B'],
  );
});
