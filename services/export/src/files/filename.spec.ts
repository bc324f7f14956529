import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExportQuery } from '@almanac/contracts';
import { filenameOf } from './filename.js';

const exportQuery: ExportQuery = {
  event: 'KXBTC15M-26FEB242330',
  ticker: null,
  series: 'KXBTC15M',
  day: null,
  streams: ['settlement', 'snapshots'],
  format: 'csv',
  numbers: 'decimal',
};

describe('an export file name', () => {
  it('names the content of the file', () => {
    assert.equal(filenameOf(exportQuery), 'KXBTC15M-26FEB242330_snapshots-settlement.csv');
    assert.equal(filenameOf({ ...exportQuery, ticker: 'KX-T95999.99', streams: ['l2'] }), 'KX-T95999.99_l2.csv');
    assert.equal(
      filenameOf({ ...exportQuery, numbers: 'float' }),
      'KXBTC15M-26FEB242330_snapshots-settlement_float.csv',
    );
    assert.equal(
      filenameOf({ ...exportQuery, csv_formulas: 'escape' }),
      'KXBTC15M-26FEB242330_snapshots-settlement_escaped.csv',
    );
    const day = { ...exportQuery, event: null, day: '2026-02-25', format: 'jsonl.gz' } as const;
    assert.equal(filenameOf(day), 'KXBTC15M_2026-02-25_snapshots-settlement.jsonl.gz');
  });

  it('is safe on every system', () => {
    const devices = ['CON', 'con.x', 'Nul.', 'AUX.2026', 'prn..', 'COM1.a', 'lpt9.b'];
    const texts = ['../../etc/passwd', 'a/b\\c:d*e?"<>|', '.hidden', '-rf', '--', 'Ünïcode ✓\r\n', 'x'.repeat(4_000)];
    for (const event of [...devices, ...texts, '💥'.repeat(100), "'; rm -rf ~; '", '$(id)', '%2e%2e%2f', 'a\0b']) {
      for (const target of [{ event }, { ticker: event }, { series: event, day: '2026-02-25' }]) {
        const name = filenameOf({
          ...exportQuery,
          streams: ['snapshots', 'settlement', 'l2'],
          format: 'jsonl.gz',
          ...target,
        });
        assert.match(name, /^[A-Za-z0-9_][A-Za-z0-9._-]*_snapshots-settlement-l2\.jsonl\.gz$/);
        assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)\./i);
        assert.ok(Buffer.byteLength(name) <= 180);
      }
    }
  });
});
