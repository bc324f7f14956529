import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { timeseriesRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import type { z } from 'zod';
import { type CandlesInput, type ComparedReads, startComparedReads } from '../slabs/testing/compared-reads.js';
import type { Observation } from '../testing/fixture.js';
import { openUs, randomMarket } from '../testing/random-market.js';
import { storeTrades } from '../testing/store-trades.js';
import { compareCandles, itReadsSlabCandles } from './testing/slab-candles-suite.js';

type Selection = Omit<z.input<typeof timeseriesRpc.candles.input>, 'ticker'>;

const second = 1_000_000;
const dayS = 86_400;
/** Slabs of a long market end at midnight. */
const midnightS = Math.ceil(openUs / second / dayS) * dayS;
const tradedS = 2 * dayS + 30;

const at = (
  s: number,
  bid: string | null,
  ask: string | null,
  price: string | null = '60000.12345678',
): Observation => ({
  us: Math.round((midnightS + s) * second),
  seq: 1,
  bid,
  ask,
  price,
});

/** Rows at both sides of every edge: of periods, of a gap, of slabs, and of trading. The second day has none. */
const rows: readonly Observation[] = [
  at(-30, '0.485', null),
  at(-20.000001, '0.1', '0.9', '1'),
  at(-20, '0.2', '0.3', null),
  at(-19.999999, '0.15', '0.35', '70000'),
  at(-10, '0.333333', '0.333334'),
  at(-0.000001, '0.4', '0.400001'),
  at(0, null, null, null),
  at(5, '0.5', '0.52', '0.00000001'),
  at(9.999999, '0', '1'),
  at(10, '0.000001', '0.000002', '90000000.99999999'),
  at(21, '0.6', '0.61'),
  at(2 * dayS + 5, '0.7', '0.71'),
  at(tradedS - 0.000001, '0.8', '0.81'),
  at(tradedS, '1', '1'),
  at(tradedS + 31, '1', '1'),
];
const gap = [12, 20.5] as const;

const reads: Readonly<Record<string, Selection>> = {
  'periods of a second around midnight': { start_ts: -30, end_ts: 30, period_s: 1, fill: 'previous' },
  'their observations alone': { start_ts: -30, end_ts: 30, period_s: 1, format: 'csv' },
  'longer periods': { start_ts: -25, end_ts: 30, period_s: 10 },
  'a window that ends in a gap': { start_ts: -20, end_ts: 15.5, period_s: 10, fill: 'previous', format: 'ndjson' },
  'a day without rows': { start_ts: dayS + 3_600, end_ts: dayS + 3_700, period_s: 60, fill: 'previous' },
  'the end of trading': { start_ts: 2 * dayS, end_ts: tradedS + 40, period_s: 5, fill: 'previous' },
  'a window before the first row': { start_ts: -90, end_ts: -30, period_s: 5, fill: 'previous' },
  'a window after trading': { start_ts: tradedS + 5, end_ts: tradedS + 90, period_s: 5, fill: 'previous' },
  'all rows': { points: 50, fill: 'previous' },
  'the rows of a time': { start_ts: -30, end_ts: 30, period_s: 5, fill: 'previous', as_of: 6 },
};

const absolute = ({ start_ts: start, end_ts: end, as_of: asOf, ...rest }: Selection): Selection => ({
  ...rest,
  ...(typeof start === 'number' ? { start_ts: midnightS + start } : {}),
  ...(typeof end === 'number' ? { end_ts: midnightS + end } : {}),
  ...(typeof asOf === 'number' ? { as_of: midnightS + asOf } : {}),
});

describe('candles from slabs', () => {
  let tested: ComparedReads;
  let ticker: string;
  before(async () => {
    tested = await startComparedReads();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
    ticker = `KX "${randomUUID()}", é/\\ü`;
    const history = [{ known_us: openUs - second, basis: 'venue' as const, values: { open_us: String(openUs) } }];
    const closeUs = (midnightS + tradedS) * second;
    await tested.fixture.market({ ticker, series: 'S', open_us: openUs, close_us: closeUs, history });
    await tested.callers.store(ticker, rows);
    const [fromUs, toUs] = gap.map((s) => (midnightS + s) * second);
    assert.ok(fromUs !== undefined && toUs !== undefined);
    await tested.callers.spans(ticker, [
      [openUs, fromUs],
      [toUs, closeUs],
    ]);
  });
  after(() => tested.stop());

  /** The slabs are made after the second read, so the third one has them. */
  const compareThrice = async (input: CandlesInput, why: string): Promise<number> => {
    const { hit } = await tested.counts();
    for (let read = 0; read < 3; read += 1) {
      await compareCandles(tested, input, why);
      await tested.slabs.idle();
    }
    return (await tested.counts()).hit - hit;
  };

  for (const [what, selection] of Object.entries(reads)) {
    it(`are those of ClickHouse for ${what}`, async () => {
      await compareThrice({ ticker, ...absolute(selection) }, what);
    });
  }

  itReadsSlabCandles(() => tested, { seed: 20_261_124, markets: 2, reads: 20 });

  it('come from slabs for one or several markets', async () => {
    const around = absolute({ start_ts: -30, end_ts: 30, period_s: 1 });
    assert.ok((await compareThrice({ ticker, ...around, fill: 'previous' }, 'one')) >= 1);
    const other = await randomMarket(tested, seededRandom(1));
    const startS = openUs / second;
    for (const s of [0, 240, 480]) {
      const window = { start_ts: startS + s, end_ts: startS + s + 120, period_s: 5, fill: 'previous' } as const;
      assert.ok((await compareThrice({ ticker: other.ticker, ...window }, `from ${s} s`)) >= 1);
    }
    const tickers = [ticker, other.ticker];
    for (const format of ['json', 'csv'] as const) {
      const batch = { tickers, start_ts: startS - 50, period_s: 300, fill: 'previous', format } as const;
      assert.ok((await compareThrice(batch, 'both')) >= 1);
    }
  });

  it('are those of the next data version', async () => {
    const selection = absolute({ start_ts: -30, end_ts: 30, period_s: 10 });
    assert.ok((await compareThrice({ ticker, ...selection }, 'before')) >= 1);
    const version = await tested.version(ticker);
    await tested.callers.store(ticker, [at(-10, '0.9', '0.91')]);
    await tested.settle(ticker, version + 1);
    assert.ok((await compareThrice({ ticker, ...selection }, 'after')) >= 1);
  });

  it('have the trades of a market', async () => {
    const traded = await randomMarket(tested, seededRandom(2));
    const version = await tested.version(traded.ticker);
    await storeTrades(tested.callers.importer, traded.ticker, [{ id: 'a', venueUs: openUs + second, price: '0.25' }]);
    await tested.settle(traded.ticker, version + 1);
    assert.equal(await compareThrice({ ticker: traded.ticker, period_s: 60 }, 'trades'), 0);
  });

  it('come from ClickHouse if a coin price has more digits than a number', async () => {
    const large = `M-${randomUUID()}`;
    await tested.fixture.market({ ticker: large, open_us: openUs, close_us: openUs + 60 * second });
    const prices = ['90071992.54740993', '90071992.54740992', '0.00000001'];
    const found = prices.map((price, index) => ({
      us: openUs + index * second,
      seq: index,
      bid: '0.5',
      ask: '0.6',
      price,
    }));
    await tested.callers.store(large, found);
    await compareThrice({ ticker: large, period_s: 60 }, 'large prices');
    assert.equal(await compareThrice({ ticker: large, period_s: 60 }, 'large prices'), 0);
  });
});
