import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes, rows } from '@almanac/clickhouse';
import { type ExportQuery, type ExportStream, gapReasons, tableFormatIds } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { z } from 'zod';
import { type Archive, startArchive, storeMarkets, storeObservations, storeSpans } from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { IncompleteFileError } from './classify-errors.js';
import { fileSql } from './file-sql.js';
import { type FileStats, readFileStats } from './file-stats.js';

/** 2026-02-25 00:00 UTC. */
const midnight = 1_771_977_600_000_000;
const dayUs = 86_400_000_000;

let archive: Archive;
before(async () => {
  archive = await startArchive();
});
after(() => archive.stop());

const statsOf = (exportQuery: ExportQuery, nowUs = 1): Promise<FileStats> =>
  readFileStats(archive.clickhouse, { exportQuery, nowUs }, AbortSignal.timeout(60_000));

describe('the row counts of a file', () => {
  const event = 'KXBTC15M-26FEB242330';
  const [seen, emptyMarket] = [`${event}-30`, `${event}-45`];
  before(async () => {
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    await storeMarkets(archive, [
      { ...row, ticker: seen },
      { ...row, ticker: emptyMarket },
    ]);
    await storeObservations(archive, [
      { ticker: seen, ts: '1771993365.058297', seq: 1 },
      { ticker: seen, ts: '1771993366', seq: 2 },
    ]);
  });
  const rowCounts = async (given: Partial<ExportQuery>) => (await statsOf(queryOf(given))).counts;

  it('give the rows of each market, and whether it has a row without an observation', async () => {
    const ofSeen = { ticker: seen, rows: 2 };
    const ofEmpty = { ticker: emptyMarket, rows: 1 };
    assert.deepEqual(await rowCounts({ event }), { markets: [ofSeen, ofEmpty], rows: 3, hasEmpty: true });
    assert.deepEqual(await rowCounts({ ticker: seen }), { markets: [ofSeen], rows: 2, hasEmpty: false });
    assert.deepEqual(await rowCounts({ ticker: emptyMarket }), { markets: [ofEmpty], rows: 1, hasEmpty: true });
    const settled = await rowCounts({ event, streams: ['settlement'] });
    assert.deepEqual([settled.rows, settled.hasEmpty], [2, false]);
  });

  it('are absent for a market that the tables do not have yet, so that no file is empty by mistake', async () => {
    for (const streams of [['snapshots'], ['settlement']] as ExportStream[][])
      await assert.rejects(rowCounts({ ticker: 'JUST-RECORDED', streams }), IncompleteFileError);
  });

  it('without an empty market skip the search for one, and the bytes are the same', async () => {
    for (const format of tableFormatIds) {
      const query = queryOf({ ticker: seen, streams: ['l2', 'settlement'], format });
      const [searched, spared] = [true, false].map((withEmpty) =>
        bytes(archive.clickhouse, fileSql(query, { nowUs: 1, withEmpty })),
      );
      assert.deepEqual(await searched, await spared, format);
    }
  });
});

describe('the gaps of a file', () => {
  const openUs = midnight + 1_000;
  const closeUs = openUs + 1_000;
  before(async () => {
    const life = { open_us: openUs, close_us: closeUs };
    await storeMarkets(archive, [
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
    await storeSpans(archive, [
      span('E-SPANS', openUs + 100, openUs + 300),
      span('E-SPANS', openUs + 400, openUs + 500, { end_reason: null }),
      span('E-SPANS', openUs, openUs + 900, { layer: 'top', tolerance_us: 100 }),
      span('OTHER', openUs, openUs + 1),
      span('DAY-SEEN', midnight - 5, midnight - 2),
      span('DAY-SEEN', midnight - 1, midnight - 1),
      span('DAY-SEEN', midnight + 1, midnight + dayUs),
      span('DAY-SEEN', midnight + dayUs + 1, midnight + dayUs + 2),
    ]);
    await storeObservations(archive, [
      { ticker: 'E-ROWS', ts: '1771977600.001250', seq: 1 },
      { ticker: 'E-ROWS', ts: '1771977600.001750', seq: 2 },
      { ticker: 'DAY-SEEN', ts: '1771977600.000001', seq: 1 },
    ]);
  });

  const gapsOf = async (target: Partial<ExportQuery>, nowUs = midnight + 9 * dayUs) => {
    const { missed } = await statsOf(queryOf(target), nowUs);
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

/** Markets open and close within four days from it, and rows come a day earlier to a day later. */
const firstUs = midnight;
const packs = 6;
const marketsN = 150;

interface RandomMarket {
  readonly ticker: string;
  readonly open_us: number | null;
  readonly close_us: number | null;
  readonly venue_status: string | null;
  readonly rowsUs: readonly number[];
}

/** Half of all times are midnight, or a microsecond beside it. A fifth of all opens and closes are unknown. */
const randomMarkets = (seed: number): RandomMarket[] => {
  const random = seededRandom(seed);
  const whole = (below: number): number => Math.floor(random() * below);
  const momentUs = (fromDay: number, days: number): number => {
    const dayStartUs = firstUs + (fromDay + whole(days)) * dayUs;
    return random() < 0.5 ? dayStartUs + whole(3) - 1 : dayStartUs + whole(dayUs);
  };
  const knownUs = (us: number): number | null => (random() < 0.2 ? null : us);
  return Array.from({ length: marketsN }, (_, n) => {
    const [openUs, closeUs] = [momentUs(0, 5), momentUs(0, 5)].toSorted((a, b) => a - b);
    const own = [openUs, closeUs].flatMap((us = firstUs) => [us, us + whole(10_000_000)]);
    const others = Array.from({ length: whole(6) }, () => momentUs(0, 5));
    const rowsUs = random() < 0.1 ? [] : [...new Set([...own, ...others])];
    return {
      ticker: `M-${String(n).padStart(3, '0')}`,
      open_us: knownUs(openUs ?? firstUs),
      close_us: knownUs(closeUs ?? firstUs),
      venue_status: random() < 0.3 ? 'active' : null,
      rowsUs,
    };
  });
};

const packRow = z.object({ ticker: z.string(), ts: z.number().nullable() });

describe('the packs of all days of a series', { timeout: 240_000 }, () => {
  const dayOf = (index: number): string => new Date((firstUs + index * dayUs) / 1_000).toISOString().slice(0, 10);
  const packOf = async (series: string, day: string) => {
    const exportQuery = queryOf({ series, day, format: 'jsonl.gz' });
    const { sql, params, settings } = fileSql(exportQuery, { nowUs: firstUs, withEmpty: true });
    const found = await rows(archive.clickhouse, { sql: sql.replace(/\nFORMAT \w+$/, ''), params, settings }, packRow);
    const { counts } = await statsOf(exportQuery, firstUs);
    assert.deepEqual(
      counts.markets.map(({ ticker, rows: n }) => [ticker, n]),
      [...Map.groupBy(found, ({ ticker }) => ticker)].map(([ticker, own]) => [ticker, own.length]),
      'the separate count agrees with the file',
    );
    return found.map(({ ticker, ts }) => ({ ticker, us: ts === null ? null : Math.round(ts * 1e6) }));
  };

  for (const seed of [1, 2]) {
    it(`hold each stored row exactly once, and each market of known times, with seed ${seed}`, async () => {
      const series = `KXRANDOM${seed}`;
      const markets = randomMarkets(seed).map((market) => ({ ...market, ticker: `${series}-${market.ticker}` }));
      await storeMarkets(
        archive,
        markets.map(({ ticker, open_us, close_us, venue_status }, n) => {
          return { ticker, event_ticker: ticker, series, open_us, close_us, venue_status, seq: n + 1 };
        }),
      );
      const stored = markets.flatMap(({ ticker, rowsUs }) => rowsUs.map((us) => ({ ticker, us })));
      await storeObservations(
        archive,
        stored.map(({ ticker, us }) => ({ ticker, series, ts: (us / 1e6).toFixed(6), seq: 1 })),
      );
      const seen: string[] = [];
      const marketsSeen = new Set<string>();
      for (let index = -1; index < packs; index += 1) {
        for (const { ticker, us } of await packOf(series, dayOf(index))) {
          marketsSeen.add(ticker);
          if (us === null) continue;
          seen.push(`${ticker} ${us}`);
          assert.equal(Math.floor((us - firstUs) / dayUs), index, `${ticker} ${us} is not of ${dayOf(index)}`);
        }
      }
      const expected = stored.map(({ ticker, us }) => `${ticker} ${us}`);
      assert.deepEqual(seen.toSorted(), expected.toSorted());
      const dated = markets.filter(({ open_us, close_us, rowsUs }) => (open_us ?? close_us) !== null || rowsUs.length);
      assert.deepEqual([...marketsSeen].toSorted(), dated.map(({ ticker }) => ticker).toSorted());
    });
  }
});
