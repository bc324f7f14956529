import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ExportQuery } from '@almanac/contracts';
import { startFixture, storeMarkets, storeObservations, type ExportFixture } from '../testing/fixture.js';
import { type PendingFile, writeFile } from './write-file.js';

const midnight = 1_771_977_600_000_000; // 2026-02-25 00:00 UTC
const dayUs = 86_400_000_000;
const open = { open_us: midnight, close_us: midnight + dayUs };

const query: ExportQuery = {
  event: null,
  ticker: null,
  series: 'KXDAY',
  day: '2026-02-25',
  streams: ['snapshots', 'settlement'],
  format: 'csv',
  numbers: 'decimal',
};

describe('the content of a file', () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  const write = async (pending: Partial<PendingFile>) => {
    const { file, manifest } = await writeFile(
      { ...fixture, versionsOf: () => Promise.resolve([]) },
      { key: 'b'.repeat(64), exportQuery: query, requested_us: midnight + 2 * dayUs, ...pending },
      { signal: AbortSignal.timeout(120_000) },
    );
    const link = { expiresInS: 60, filename: 'x', contentType: 'text/plain', public: false };
    const url = await fixture.objects.presignGet(file.storage_key, link);
    return { file, manifest, text: await (await fetch(url)).text() };
  };

  describe('of a day', () => {
    const markets = ['DAY-EMPTY', 'DAY-SEEN'];
    before(async () => {
      await storeMarkets(
        fixture,
        markets.map((ticker, n) => ({ ticker, event_ticker: `${ticker}-E`, series: 'KXDAY', seq: n + 1, ...open })),
      );
      await storeObservations(
        fixture,
        ['1771977600', '1771977601'].map((ts) => ({ ticker: 'DAY-SEEN', series: 'KXDAY', ts, seq: 1 })),
      );
    });

    it('has the markets that it had at the request, whatever is listed or moved before it is made', async () => {
      const promised = await write({ markets });
      await storeMarkets(fixture, [
        { ticker: 'DAY-LATER', event_ticker: 'DAY-LATER-E', series: 'KXDAY', seq: 10, ...open },
        { ticker: 'DAY-EMPTY', event_ticker: 'DAY-EMPTY-E', series: 'KXOTHER', seq: 11, ...open },
      ]);
      await storeObservations(fixture, [{ ticker: 'DAY-LATER', series: 'KXDAY', ts: '1771977602', seq: 1 }]);
      const made = await write({ markets });
      assert.deepEqual(
        made.manifest.markets.map(({ ticker, rows }) => [ticker, rows]),
        [
          ['DAY-EMPTY', 1],
          ['DAY-SEEN', 2],
        ],
      );
      assert.equal(made.file.row_count, promised.file.row_count);
      assert.ok(!made.text.includes('DAY-LATER'));
      // A file of an older release has no list.
      assert.ok((await write({})).text.includes('DAY-LATER'));
    });
  });

  describe('in CSV with escaped formulas', () => {
    const odd = ['=1+1', '+A', '-A', '@A', '\tA', '\rA', 'A=1', "'=1"];
    before(async () => {
      await storeMarkets(
        fixture,
        odd.map((ticker, n) => ({
          ticker,
          event_ticker: 'ODD-E',
          series: '=SUM(A1)',
          seq: n + 1,
          floor_strike: '-5.5',
          result: '@yes',
          strike_type: '-less',
          ...open,
        })),
      );
      await storeObservations(
        fixture,
        odd.map((ticker) => ({ ticker, series: '=SUM(A1)', ts: '1771977600', seq: 1, coin_price: '-3.25' })),
      );
    });
    const of = (more: Partial<ExportQuery>) =>
      write({ exportQuery: { ...query, series: null, day: null, event: 'ODD-E', ...more } });

    for (const streams of [['snapshots', 'settlement'], ['settlement']] as const) {
      it(`has no cell of ${streams.join(' and ')} that a spreadsheet runs, and the same order and numbers`, async () => {
        const unchanged = await of({ streams: [...streams] });
        const escaped = await of({ streams: [...streams], csv_formulas: 'escape' });
        assert.match(unchanged.text, /"=1\+1","ODD-E","=SUM\(A1\)"/);
        const expected = unchanged.text.replaceAll(/(?<=^|[,\n])"(?=[=+\-@\t\r])/g, `"'`);
        assert.equal(escaped.text, expected);
        assert.equal(escaped.text.match(/-5\.5/g)?.length, odd.length);
        assert.doesNotMatch(escaped.text, /(?:^|[,\n])"[=+\-@\t\r]/);
        assert.equal(escaped.file.row_count, odd.length);
      });
    }
  });
});
