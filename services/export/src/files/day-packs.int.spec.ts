import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rows } from '@almanac/clickhouse';
import { seededRandom } from '@almanac/testing';
import { z } from 'zod';
import { startFixture, storeMarkets, storeObservations, type ExportFixture } from '../testing/fixture.js';
import { fileSql } from './file-sql.js';
import { readFileStats } from './file-stats.js';

/** 2026-02-25 00:00 UTC. Markets open and close within four days from it, and rows come a day earlier to a day later. */
const firstUs = 1_771_977_600_000_000;
const dayUs = 86_400_000_000;
const packs = 6;
const marketsN = 300;

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
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  const dayOf = (index: number): string => new Date((firstUs + index * dayUs) / 1_000).toISOString().slice(0, 10);
  const packOf = async (series: string, day: string) => {
    const streams = ['snapshots' as const];
    const exportQuery = {
      event: null,
      ticker: null,
      series,
      day,
      streams,
      format: 'jsonl.gz' as const,
      numbers: 'decimal' as const,
    };
    const { sql, params, settings } = fileSql(exportQuery, { nowUs: firstUs, withEmpty: true });
    const found = await rows(fixture.clickhouse, { sql: sql.replace(/\nFORMAT \w+$/, ''), params, settings }, packRow);
    const signal = AbortSignal.timeout(60_000);
    const { counts } = await readFileStats(fixture.clickhouse, { exportQuery, nowUs: firstUs }, signal);
    assert.deepEqual(
      counts.markets.map(({ ticker, rows: n }) => [ticker, n]),
      [...Map.groupBy(found, ({ ticker }) => ticker)].map(([ticker, own]) => [ticker, own.length]),
      'the separate count agrees with the file',
    );
    return found.map(({ ticker, ts }) => ({ ticker, us: ts === null ? null : Math.round(ts * 1e6) }));
  };

  for (const seed of [1, 2, 3]) {
    it(`hold each stored row exactly once, and each market of known times, with seed ${seed}`, async () => {
      const series = `KXRANDOM${seed}`;
      const markets = randomMarkets(seed).map((market) => ({ ...market, ticker: `${series}-${market.ticker}` }));
      await storeMarkets(
        fixture,
        markets.map(({ ticker, open_us, close_us, venue_status }, n) => {
          return { ticker, event_ticker: ticker, series, open_us, close_us, venue_status, seq: n + 1 };
        }),
      );
      const stored = markets.flatMap(({ ticker, rowsUs }) => rowsUs.map((us) => ({ ticker, us })));
      await storeObservations(
        fixture,
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
