import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importText, mappingRefusal } from './testing/import-text.js';

const mapping = `
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
const header = 'series,kind,factor,from,seen';

describe('a file of fees', () => {
  it('gives each series its fees, with the time from which each is valid and when it was known', async () => {
    const lines = [
      header,
      'KXA,q,1,1768230020,2026-01-10T00:00:00Z',
      'KXA,q,0.5,1770000000,',
      'KXB,flat,,,2026-01-10T00:00:00Z',
      'KXC,flat,2,,',
    ];
    const result = await importText(mapping, lines, { times: 2 });
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
    const { report, things } = await importText(mapping, [header, ...faults.map(([line]) => line)]);
    assert.deepEqual(report.refused, new Map(faults.map(([, reason]) => [reason, 1])));
    assert.deepEqual([report.recordsRefused, things.size], [6, 0]);
  });
});

it('a mapping of fees that misses the series, or has fields of markets, is refused with the line', () => {
  assert.match(
    mappingRefusal('  fee_type: { column: b }'),
    /fields\.ticker is not for fees\n.*fields\.series is missing/s,
  );
  assert.match(mappingRefusal('  fee_multiplier: { column: b }'), /fields\.fee_multiplier needs the field fee_type/);
});
