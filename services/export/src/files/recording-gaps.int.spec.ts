import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ExportQuery, gapReasons } from '@almanac/contracts';
import { type ExportFixture, startFixture, storeMarkets, storeObservations, storeSpans } from '../testing/fixture.js';
import { readFileStats } from './file-stats.js';

/** 2026-02-25 00:00 UTC. */
const midnight = 1_771_977_600_000_000;
const dayUs = 86_400_000_000;
const openUs = midnight + 1_000;
const closeUs = openUs + 1_000;

describe('the gaps of a file', () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
    const life = { open_us: openUs, close_us: closeUs };
    await storeMarkets(fixture, [
      { ticker: 'E-SPANS', event_ticker: 'E', series: 'S', seq: 1, ...life },
      { ticker: 'E-ROWS', event_ticker: 'E', series: 'S', seq: 2, ...life },
      { ticker: 'E-NOTHING', event_ticker: 'E', series: 'S', seq: 3, ...life },
      { ticker: 'E-UNKNOWN', event_ticker: 'E', series: 'S', seq: 4, open_us: null, close_us: null },
      ...[
        { ticker: 'DAY-SEEN', seq: 5, open_us: midnight - 1, close_us: midnight + 1 },
        { ticker: 'DAY-SILENT', seq: 6, open_us: midnight + dayUs - 1, close_us: midnight + 2 * dayUs },
      ].map((market) => ({ ...market, event_ticker: 'DAY', series: 'KXDAY' })),
    ]);
    const span = (ticker: string, start_us: number, end_us: number, more: object = {}) => ({
      ticker,
      layer: 'l2',
      start_us,
      end_us,
      tolerance_us: 0,
      end_reason: 'lost',
      ...more,
    });
    await storeSpans(fixture, [
      span('E-SPANS', openUs + 100, openUs + 300),
      span('E-SPANS', openUs + 400, openUs + 500, { end_reason: null }),
      span('E-SPANS', openUs, openUs + 900, { layer: 'top', tolerance_us: 100 }),
      span('OTHER', openUs, openUs + 1),
      span('DAY-SEEN', midnight - 5, midnight - 2),
      span('DAY-SEEN', midnight - 1, midnight - 1),
      span('DAY-SEEN', midnight + 1, midnight + dayUs),
      span('DAY-SEEN', midnight + dayUs + 1, midnight + dayUs + 2),
    ]);
    await storeObservations(fixture, [
      { ticker: 'E-ROWS', ts: '1771977600.001250', seq: 1 },
      { ticker: 'E-ROWS', ts: '1771977600.001750', seq: 2 },
      { ticker: 'DAY-SEEN', ts: '1771977600.000001', seq: 1 },
    ]);
  });
  after(() => fixture.stop());

  const gapsOf = async (target: Partial<ExportQuery>, nowUs = midnight + 9 * dayUs) => {
    const nothing = { event: null, ticker: null, series: null, day: null } as const;
    const exportQuery: ExportQuery = {
      ...nothing,
      ...target,
      streams: ['snapshots'],
      format: 'csv',
      numbers: 'decimal',
    };
    const signal = AbortSignal.timeout(60_000);
    const { missed } = await readFileStats(fixture.clickhouse, { exportQuery, nowUs }, signal);
    const { gaps, gaps_n: count } = missed;
    const from = (ts: number | null): number | null => (ts === null ? null : Math.round(ts * 1e6 - openUs));
    return {
      count,
      gaps: gaps.map((gap) => [gap.ticker, from(gap.start_ts), from(gap.end_ts), gap.reason, gap.missing]),
    };
  };

  it('follow from the spans of its markets, and without spans from their observations', async () => {
    assert.deepEqual(await gapsOf({ event: 'E' }), {
      count: 6,
      gaps: [
        ['E-NOTHING', 0, 1_000, gapReasons.nothing, 'all'],
        ['E-ROWS', 0, 250, gapReasons.start, 'all'],
        ['E-ROWS', 750, 1_000, gapReasons.end, 'all'],
        ['E-SPANS', 0, 100, gapReasons.start, 'books'],
        ['E-SPANS', 300, 400, 'lost', 'books'],
        ['E-SPANS', 500, 1_000, gapReasons.end, 'books'],
      ],
    });
  });

  it('of a live market last until its recording continues', async () => {
    const { gaps } = await gapsOf({ ticker: 'E-SPANS' }, closeUs - 10);
    assert.deepEqual(gaps, [
      ['E-SPANS', 0, 100, gapReasons.start, 'books'],
      ['E-SPANS', 300, 400, 'lost', 'books'],
      ['E-SPANS', 900, null, 'lost', 'all'],
    ]);
  });

  it('of a day pack touch its day', async () => {
    const { gaps } = await gapsOf({ series: 'KXDAY', day: '2026-02-25' });
    assert.deepEqual(
      gaps.map(([ticker, start, end]) => [ticker, Number(start) + 1_000, Number(end) + 1_000]),
      [
        ['DAY-SEEN', -1, 1],
        ['DAY-SILENT', dayUs - 1, 2 * dayUs],
      ],
    );
  });
});
