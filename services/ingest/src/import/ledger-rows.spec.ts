import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { importText } from './testing/import-text.js';

const mapping = readFileSync(new URL('../../mappings/kalshi-settlement-ledger.yaml', import.meta.url), 'utf8');

const line = (ticker: string, values: object): string =>
  JSON.stringify({
    ticker,
    event_ticker: 'KXE-1',
    series: 'KXE',
    title: 'A title',
    close_time: '2026-07-22T09:00:00Z',
    settlement_ts: '2026-07-22T10:00:44.003773Z',
    expiration_value: null,
    settlement_value: null,
    captured_at: '2026-07-22T10:31:41.942809+00:00',
    ...values,
  });

test('a void market and a fractional payout are settled with the words of their source, known when it recorded them', async () => {
  const results = { A: ['void', '0.5'], B: ['scalar', '0.37'], C: ['yes', '1'] } as const;
  const lines = Object.entries(results).map(([ticker, [result, paid]]) =>
    line(ticker, { result, expiration_value: '0.5', settlement_value: Number(paid) }),
  );
  const { things, report } = await importText(mapping, lines, { name: 'ledger.jsonl', times: 2 });
  for (const [ticker, [result, settlement_value]] of Object.entries(results)) {
    const market = things.get(`market ${ticker}`);
    const settled = { result, expiration_value: '0.5', settlement_value };
    assert.partialDeepStrictEqual(market, { ...settled, settlement_us: 1_784_714_444_003_773 });
    assert.deepEqual(market?.['history'], [
      {
        known_us: 1_784_716_301_942_809,
        basis: 'recorded',
        values: {
          close_us: '1784710800000000',
          ...settled,
          settlement_us: '1784714444003773',
          title: 'A title',
        },
      },
    ]);
  }
  assert.deepEqual([report.refusals, report.outcomes.unchanged], [0, 3]);
});

test('a settlement with a time of another unit is refused with its line, and one cut in mid-line too', async () => {
  const lines = [
    line('A', { result: 'yes', captured_at: 1_784_716_301 }),
    line('B', { result: 'no', settlement_ts: 1_784_714_444_003 }),
    line('C', { result: '', settlement_ts: '0' }),
    line('D', { result: 'yes' }).slice(0, 90),
  ];
  const { things, report } = await importText(mapping, lines, { name: 'ledger.jsonl' });
  assert.deepEqual(
    report.refused,
    new Map([
      ['known_ts: not a time from 1980 to 2100 in the unit iso of the mapping', 1],
      ['settlement_ts: not a time from 1980 to 2100 in the unit iso of the mapping', 1],
      ['not JSON', 1],
    ]),
  );
  assert.deepEqual([...things.keys()], ['market C']);
  assert.deepEqual(
    [report.dropped.get('result: missing'), report.dropped.get('settlement_ts: not a whole time')],
    [1, 1],
  );
});
