import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import type { Answer, CandlesInput, ComparedReads } from '../../slabs/testing/compared-reads.js';
import type { Observation } from '../../testing/fixture.js';
import { openUs, randomMarket } from '../../testing/random-market.js';
import { withRandomTrades } from './random-trades.js';
import { oneOf, pick, type Random } from '../../testing/random.js';

export interface SlabCandlesSuite {
  readonly seed: number;
  readonly markets: number;
  readonly reads: number;
}

const second = 1_000_000;
const dayUs = 86_400 * second;
const midnightUs = Math.ceil(openUs / dayUs) * dayUs;
const daysN = 3;

const units = (random: Random, share: number, text: () => string): string | null => (random() < share ? null : text());

/** Prices with all digits, and rows without a side or a coin price. */
const observationAt = (random: Random, us: number, seq: number): Observation => {
  const isFine = random() < 0.3;
  const price = (): string => (isFine ? pick(random, 0, 1_000_001) / 1e6 : pick(random, 0, 101) / 100).toFixed(6);
  return {
    us,
    seq,
    bid: units(random, 0.15, price),
    ask: units(random, 0.15, price),
    price: units(random, 0.2, () => `${pick(random, 1, 90_000_000)}.${String(pick(random, 0, 1e8)).padStart(8, '0')}`),
  };
};

/** Rows around midnights, so that windows, periods and gaps cross the ends of slabs, and a day without rows. */
const longRows = (random: Random): Observation[] => {
  const times = new Set([midnightUs - 1, midnightUs, midnightUs + 1]);
  while (times.size < 250) {
    const near = midnightUs + oneOf(random, [0, 0, 2, 3]) * dayUs;
    const us = near + pick(random, -40 * second, 40 * second);
    times.add(random() < 0.3 ? Math.floor(us / second) * second : us);
  }
  return [...times].toSorted((a, b) => a - b).map((us, index) => observationAt(random, us, index));
};

interface Market {
  readonly ticker: string;
  readonly times: readonly number[];
  /** Only these were known in the past. */
  readonly hasHistory: boolean;
}

const longMarket = async ({ fixture, callers }: ComparedReads, random: Random): Promise<Market> => {
  const ticker = `KX "${randomUUID()}", é/\\ü`;
  const closeUs = midnightUs + daysN * dayUs;
  const history = [{ known_us: openUs - dayUs, basis: 'venue' as const, values: { open_us: String(openUs) } }];
  await fixture.market({ ticker, series: 'S', open_us: openUs, close_us: closeUs, history });
  const rows = longRows(random);
  await callers.store(ticker, rows);
  const lostUs = midnightUs + pick(random, -20 * second, 20 * second);
  const backUs = lostUs + oneOf(random, [1, 7 * second, dayUs]);
  if (random() < 0.7) {
    await callers.spans(ticker, [
      [openUs, lostUs],
      [backUs, closeUs],
    ]);
  }
  return { ticker, hasHistory: true, times: rows.map(({ us }) => us) };
};

const shortMarket = async (tested: ComparedReads, random: Random): Promise<Market> => {
  const market = await randomMarket(tested, random);
  if (random() < 0.3) await withRandomTrades(tested.callers.importer, market, random);
  return { ticker: market.ticker, hasHistory: false, times: market.rows.map(({ us }) => us) };
};

/** Of all kinds: one period, or as many as the window allows. */
const randomPeriods = (random: Random): object => {
  if (random() < 0.4) return { points: oneOf(random, [10, 11, 50, 500]) };
  return random() < 0.1 ? {} : { period_s: oneOf(random, [1, 1, 2, 5, 15, 60, 300, 3_600, 86_400]) };
};

/** Bounds are often exactly at a row or just after one, and sometimes outside of all rows. */
const randomWindow = (random: Random, { times, hasHistory }: Market): object => {
  const bound = (): number => {
    const us = times[pick(random, 0, times.length)] ?? openUs;
    return (us + oneOf(random, [0, 0, 1, -1, pick(random, -600 * second, 600 * second)])) / second;
  };
  const [one, other] = [bound(), bound()].toSorted((a, b) => a - b);
  const asOf = Math.ceil((times[pick(random, 0, times.length)] ?? openUs) / second) + oneOf(random, [0, 1, 30]);
  return {
    ...(random() < 0.8 ? { start_ts: one } : {}),
    ...(random() < 0.8 && other !== one ? { end_ts: other } : {}),
    ...(hasHistory && random() < 0.2 ? { as_of: asOf } : {}),
  };
};

const randomInput = (random: Random, market: Market, others: readonly Market[]): CandlesInput => {
  const isBatch = random() < 0.25;
  const known = [market, ...others.filter(({ hasHistory }) => hasHistory === market.hasHistory)];
  return {
    ...(isBatch ? { tickers: known.map(({ ticker }) => ticker) } : { ticker: market.ticker }),
    ...randomWindow(random, market),
    ...randomPeriods(random),
    fill: oneOf(random, ['none', 'previous'] as const),
    format: oneOf(random, ['json', 'json', 'csv', 'ndjson'] as const),
    numbers: oneOf(random, ['decimal', 'decimal', 'decimal', 'float'] as const),
  };
};

/** The code of a refusal, which both ways must give. */
const answered = (answer: Promise<Answer>): Promise<Answer | string> =>
  answer.catch((error: unknown) => {
    if (error instanceof DomainError) return error.code;
    throw error;
  });

/** Reads with slabs, and from ClickHouse alone. */
export const compareCandles = async (tested: ComparedReads, input: CandlesInput, why = 'a read'): Promise<void> => {
  const [ours, reference] = [await answered(tested.candles(input)), await answered(tested.candlesWithout(input))];
  const what = `${why}: ${JSON.stringify(input)}`;
  if (typeof ours === 'string' || typeof reference === 'string') return assert.equal(ours, reference, what);
  assert.equal(ours.bytes.toString(), reference.bytes.toString(), `other bytes, ${what}`);
  assert.deepEqual(ours.meta, reference.meta, `another head, ${what}`);
};

/** Candles from slabs are those of ClickHouse, to the byte. Parquet has no slabs. */
export const itReadsSlabCandles = (readsOf: () => ComparedReads, { seed, markets, reads }: SlabCandlesSuite): void => {
  it(`are those of ClickHouse to the byte, while data arrives (property, seed ${seed})`, async () => {
    const tested = readsOf();
    const random = seededRandom(seed);
    const known: Market[] = [];
    for (let number = 0; number < markets; number += 1) {
      const market = number % 2 === 1 ? await shortMarket(tested, random) : await longMarket(tested, random);
      for (let read = 0; read < reads; read += 1) {
        await compareCandles(tested, randomInput(random, market, known), `market ${number}, read ${read}`);
        await tested.slabs.idle();
        if (read % 20 !== 19) continue;
        // Some of these replace stored rows.
        const us = random() < 0.5 ? market.times[pick(random, 0, market.times.length)] : undefined;
        const version = await tested.version(market.ticker);
        const row = observationAt(random, us ?? openUs + pick(random, 0, 60 * second), 1_000 + read);
        await tested.callers.store(market.ticker, [row]);
        await tested.settle(market.ticker, version + 1);
      }
      known.push(market);
    }
    const { hit, miss } = await tested.counts();
    assert.ok(hit > (markets * reads) / 8, `slabs had only ${hit} of ${hit + miss} reads`);
  });
};
