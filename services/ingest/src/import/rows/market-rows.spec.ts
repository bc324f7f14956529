import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import { reportLines } from '../report/report-lines.js';
import { importFiles, importText, mappingRefusal } from '../testing/import-files.js';

const settledFile = (rows: string): string =>
  `ticker,event_ticker,series,open_time,close_time,settlement_ts,floor_strike,expiration_value,result\n${rows}`;
const window = '2026-04-04T16:15:00Z,2026-04-04T16:30:00Z,2026-04-04T16:30:13Z';

test('settled markets of any series keep every digit, and only crypto series get the category crypto', async () => {
  const { report, things } = await importFiles({
    'settled.csv': settledFile(
      `EURUSD-1,EURUSD,EURUSD,${window},1.3691,1.36999,no\n` +
        `KXGAS-1,KXGAS,KXGAS,${window},3.125,3.1259999,yes\n` +
        `KXETH15M-1,KXETH15M,KXETH15M,${window},1905.339999,1905.3412,yes\n`,
    ),
  });
  const recordedMarket = (ticker: string) => {
    const market = things.get(`market ${ticker}`);
    return ['floor_strike', 'expiration_value', 'category', 'strike_type'].map((name) => market?.[name] ?? null);
  };
  assert.deepEqual(recordedMarket('EURUSD-1'), ['1.3691', '1.36999', null, null]);
  assert.deepEqual(recordedMarket('KXGAS-1'), ['3.125', '3.1259999', null, null]);
  assert.deepEqual(recordedMarket('KXETH15M-1'), ['1905.34', '1905.3412', 'crypto', 'greater_or_equal']);
  assert.equal(things.get('series KXETH15M')?.['label'], 'Ethereum price in 15 minutes');
  assert.equal(things.get('series KXGAS')?.['label'], undefined);
  assert.equal(report.dropped.get('strike_type: missing'), 2);
  assert.ok(reportLines(report, false).includes('  values kept with fewer digits 1:'));
});

test('a market has the venue that its mapping states, and none without', async () => {
  const mapping = (venue: string): string => `name: own
match: { columns: [id, exchange] }
fields:
  ticker: { column: id }
${venue}`;
  for (const [venue, expected] of [
    ['', undefined],
    ['  venue: { constant: kalshi }', 'kalshi'],
    ['  venue: { column: exchange, values: { "Some Exchange": some-exchange } }', 'some-exchange'],
  ] as const) {
    const { things } = await importText(mapping(venue), ['id,exchange', 'KXANY-1,Some Exchange']);
    assert.equal(things.get('market KXANY-1')?.['venue'], expected);
  }
  const { things } = await importFiles({ 'settled.csv': settledFile(`KXGAS-1,KXGAS,KXGAS,${window},3.125,3.1,yes\n`) });
  assert.equal(things.get('market KXGAS-1')?.['venue'], 'kalshi');
});

const ledger = readFileSync(new URL('../../../mappings/kalshi-settlement-ledger.yaml', import.meta.url), 'utf8');

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
  const { things, report } = await importText(ledger, lines, { name: 'ledger.jsonl', times: 2 });
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
  const { things, report } = await importText(ledger, lines, { name: 'ledger.jsonl' });
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

const fees = `
name: fees
format: csv
match: { columns: [series, kind] }
fields:
  series: { column: series }
  fee_type: { column: kind, values: { q: quadratic } }
  fee_multiplier: { column: factor }
  fee_from_ts: { column: from, unit: s }
  known_ts: { column: seen, unit: iso }
`;
const feeHeader = 'series,kind,factor,from,seen';

describe('a file of fees', () => {
  it('gives each series its fees, with the time from which each is valid and when it was known', async () => {
    const lines = [
      feeHeader,
      'KXA,q,1,1768230020,2026-01-10T00:00:00Z',
      'KXA,q,0.5,1770000000,',
      'KXB,flat,,,2026-01-10T00:00:00Z',
      'KXC,flat,2,,',
    ];
    const result = await importText(fees, lines, { times: 2 });
    const feesOf = (id: string) => result.things.get(`series ${id}`)?.['fees'];
    const seen = { known_us: 1_768_003_200_000_000, basis: 'recorded' };
    assert.deepEqual(feesOf('KXA'), [
      { type: 'quadratic', multiplier: '1', valid_from_us: 1_768_230_020_000_000, ...seen },
      {
        type: 'quadratic',
        multiplier: '0.5',
        valid_from_us: 1_770_000_000_000_000,
        known_us: 1_770_000_000_000_000,
        basis: 'inferred',
      },
    ]);
    assert.deepEqual(feesOf('KXB'), [{ type: 'flat', multiplier: null, valid_from_us: null, ...seen }]);
    assert.deepEqual(feesOf('KXC'), [
      { type: 'flat', multiplier: '2', valid_from_us: null, known_us: null, basis: null },
    ]);
    const { entities, refusals, rowsRead } = result.report;
    assert.partialDeepStrictEqual(entities.series, { sent: 4, unchanged: 4, refused: 0 });
    assert.deepEqual([rowsRead, refusals], [4, 0]);
  });

  it('refuses a row without a series or type, and with a wrong value, with the line', async () => {
    const faults: readonly [string, string][] = [
      [',q,1,,', 'no series'],
      ['KXA,,1,,', 'no fee_type'],
      ['KXA,q,much,,', 'fee_multiplier: not a decimal number'],
      ['KXA,q,1,1768230020000,', 'fee_from_ts: not a time from 1980 to 2100 in the unit s of the mapping'],
      ['KXA,q,1,,1768230020', 'known_ts: not a time from 1980 to 2100 in the unit iso of the mapping'],
      ['KXA,q', 'the number of columns differs from the header'],
    ];
    const { report, things } = await importText(fees, [feeHeader, ...faults.map(([row]) => row)]);
    assert.deepEqual(report.refused, new Map(faults.map(([, reason]) => [reason, 1])));
    assert.deepEqual([report.recordsRefused, things.size], [6, 0]);
  });
});

test('a mapping of fees that misses the series, or has fields of markets, is refused with the line', () => {
  assert.match(
    mappingRefusal('  fee_type: { column: b }'),
    /fields\.ticker is not for fees\n.*fields\.series is missing/s,
  );
  assert.match(mappingRefusal('  fee_multiplier: { column: b }'), /fields\.fee_multiplier needs the field fee_type/);
});
