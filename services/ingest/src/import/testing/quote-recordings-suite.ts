import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kalshiTickerTime, tickerTime } from '../../values/ticker-time.js';
import type { memoryArchive } from './memory-archive.js';
import { importPath, importPaths, once } from './import-files.js';

/** A file of settled Bitcoin markets and one of quotes, with their known contents. */
export interface QuoteRecordings {
  readonly settledPath: string;
  readonly settledMarkets: number;
  readonly dirt: {
    readonly cutTimes: number;
    readonly missingStrikes: number;
    readonly missingExpirations: number;
    readonly noisyStrikes: number;
  };
  readonly quotesPath: string;
  readonly quoteLines: number;
  /** Cells that the source itself marks as an error. */
  readonly quoteErrors: number;
  /** Quotes by market. */
  readonly quotes: ReadonlyMap<string, number>;
  /** Markets of both files together. */
  readonly markets: number;
}

/** Tests the import of settled 15-minute markets and quotes of four coins, real or generated. */
export const describeQuoteRecordings = (
  name: string,
  { open, skip }: { open: () => QuoteRecordings; skip: string | false },
): void => {
  describe(name, () => {
    const settled = once(() => importPath(open().settledPath));
    const quoted = once(() => importPath(open().quotesPath));

    it('is read completely, and its invalid values cost single fields only', { skip }, async () => {
      const { settledMarkets, dirt } = open();
      const { report, things } = await settled();
      assert.equal(report.rowsRead, settledMarkets);
      assert.deepEqual(report.outcomes, { created: settledMarkets, changed: 0, unchanged: 0, refused: 0 });
      assert.equal(report.refused.size, 0);
      assert.deepEqual(Object.fromEntries(report.dropped), {
        'settlement_ts: not a whole time': dirt.cutTimes,
        'floor_strike: missing': dirt.missingStrikes,
        'expiration_value: missing': dirt.missingExpirations,
      });
      assert.deepEqual(report.rolling, ['KXBTC15M']);
      assert.deepEqual(Object.fromEntries(report.altered), {
        'floor_strike: float noise removed, as in 65573.369999 for 65573.37': dirt.noisyStrikes,
      });
      assert.deepEqual(things.get('series KXBTC15M'), {
        kind: 'series',
        id: 'KXBTC15M',
        derived_label: true,
        label: 'Bitcoin price in 15 minutes',
        shape: 'rolling',
      });
      const strikes = Array.from(things.values(), (thing) => thing['floor_strike']).filter((one) => one !== undefined);
      assert.equal(strikes.length, settledMarkets - dirt.missingStrikes);
      for (const strike of strikes) assert.match(typeof strike === 'string' ? strike : '', /^\d+(\.\d{1,2})?$/);
    });

    it('finds the closing time of every settled market in its ticker', { skip }, async () => {
      const { settledMarkets } = open();
      const { things } = await settled();
      const pattern = new RegExp(kalshiTickerTime);
      let compared = 0;
      for (const market of things.values()) {
        if (market['kind'] !== 'market') continue;
        assert.equal(tickerTime(String(market['ticker']), pattern, 'America/New_York'), market['close_us']);
        compared += 1;
      }
      assert.equal(compared, settledMarkets);
    });

    it('stores all quotes of every market in small batches', { skip }, async () => {
      const { quoteLines, quoteErrors, quotes } = open();
      const { report, rows, calls } = await quoted();
      assert.equal(report.rowsRead, quoteLines);
      assert.equal(report.observationsStored, quoteLines * 4 - quoteErrors);
      assert.deepEqual(report.outcomes, { created: quotes.size, changed: 0, unchanged: 0, refused: 0 });
      assert.equal(report.refused.get('the source reports an error') ?? 0, quoteErrors);
      assert.deepEqual([report.dropped.size, report.warnings.size], [0, 0]);
      const perMarket = new Map<string, number>();
      for (const { ticker } of rows.values()) perMarket.set(ticker, (perMarket.get(ticker) ?? 0) + 1);
      assert.deepEqual(Array.from(perMarket).toSorted(byName), Array.from(quotes).toSorted(byName));
      // A batch ends with a complete line, which has up to four rows.
      assert.ok(calls.largestBatchRows <= 16_003 && calls.largestBatchBytes < 900_000);
      assert.deepEqual(report.rolling.toSorted(), ['KXBTC15M', 'KXETH15M', 'KXSOL15M', 'KXXRP15M']);
    });

    it('is the same archive in both orders of the files, and after a second import', { skip }, async () => {
      const { settledPath, quotesPath, settledMarkets, quotes, markets } = open();
      const one = await importPaths([settledPath, quotesPath]);
      const other = await importPaths([quotesPath, settledPath]);
      assert.equal(contents(one), contents(other));
      assert.equal(Array.from(one.things.values()).filter((thing) => thing['kind'] === 'market').length, markets);
      const before = contents(one);
      const again = await importPaths([quotesPath, settledPath], { into: one });
      assert.equal(contents(again), before);
      assert.deepEqual(
        again.reports.map((report) => report.outcomes),
        [
          { created: 0, changed: 0, unchanged: quotes.size, refused: 0 },
          { created: 0, changed: 0, unchanged: settledMarkets, refused: 0 },
        ],
      );
    });
  });
};

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const contents = ({ things, rows }: Pick<ReturnType<typeof memoryArchive>, 'things' | 'rows'>): string => {
  const sorted = (of: Map<string, object>) => Array.from(of).toSorted(byName);
  const known = sorted(things).map(([key, thing]) => [key, Object.entries(thing).toSorted(byName)]);
  return JSON.stringify([known, sorted(rows)]);
};
