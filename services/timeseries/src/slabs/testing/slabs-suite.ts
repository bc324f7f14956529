import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '@almanac/testing';
import type { Observation } from '../../testing/fixture.js';
import { openUs, randomMarket } from '../../testing/random-market.js';
import type { ComparedReads, SnapshotsInput } from './compared-reads.js';
import { oneOf, pick, type Random } from '../../testing/random.js';

export interface SlabsSuite {
  readonly seed: number;
  readonly markets: number;
  readonly reads: number;
}

const second = 1_000_000;
const dayUs = 86_400 * second;
const midnightUs = Math.ceil(openUs / dayUs) * dayUs;

/** Rows around three midnights, so that windows and steps cross the ends of slabs. */
const longRows = (random: Random): Observation[] => {
  const times = new Set([midnightUs - 1, midnightUs, midnightUs + 1]);
  while (times.size < 250) {
    const near = midnightUs + pick(random, 0, 3) * dayUs;
    times.add(near + pick(random, -40 * second, 40 * second));
  }
  return [...times].toSorted((a, b) => a - b).map((us, index) => observationAt(random, us, index));
};

const observationAt = (random: Random, us: number, seq: number): Observation => {
  const bid = pick(random, 1, 99);
  const book = { yes: `[(${bid / 100},${seq + 1}),(0.001,5.25)]`, no: random() < 0.2 ? '[]' : `[(0.5,7)]` };
  return {
    us,
    seq,
    bid: (bid / 100).toString(),
    ask: random() < 0.2 ? null : ((bid + 1) / 100).toString(),
    price: random() < 0.2 ? null : (60_000 + pick(random, 0, 9_999) / 100).toString(),
    // Null: this row has no book.
    book: random() < 0.3 ? null : book,
  };
};

interface Market {
  readonly ticker: string;
  readonly times: readonly number[];
  readonly isLong: boolean;
}

const newMarket = async (tested: ComparedReads, random: Random, isLong: boolean): Promise<Market> => {
  if (!isLong) {
    const { ticker, rows } = await randomMarket(tested, random);
    return { ticker, isLong, times: rows.map(({ us }) => us) };
  }
  const ticker = `KX "${randomUUID()}", é`;
  const times = { open_us: openUs, close_us: midnightUs + 3 * dayUs };
  const history = [{ known_us: openUs - dayUs, basis: 'venue' as const, values: { open_us: String(openUs) } }];
  await tested.fixture.market({ ticker, series: 'S "x",\n', event_ticker: null, ...times, history });
  const rows = longRows(random);
  await tested.callers.store(ticker, rows);
  return { ticker, isLong, times: rows.map(({ us }) => us) };
};

const windowOf = (random: Random, one: number | undefined, other: number | undefined) => ({
  start_ts: one,
  ...(random() < 0.85 && other !== one ? { end_ts: other } : {}),
  limit: oneOf(random, [1, 2, 7, 100, 1_000, 5_000]),
  step_ms: oneOf(random, [0, 1, 333, 1_000, 7_000, 60_000]),
});

/** A step of seven seconds has rows of two slabs: no day is a multiple of it. */
const aroundMidnight = (random: Random) => {
  const midnight = (midnightUs + pick(random, 0, 3) * dayUs) / second;
  return { start_ts: midnight - 20, end_ts: midnight + 20, limit: 5_000, step_ms: 7_000 };
};

/** Bounds are often exactly at a row or just after one, and sometimes outside of all rows. */
const randomInput = (random: Random, { ticker, times, isLong }: Market): SnapshotsInput => {
  const bound = (): number => {
    const us = times[pick(random, 0, times.length)] ?? openUs;
    return (us + oneOf(random, [0, 0, 1, -1, pick(random, -600 * second, 600 * second)])) / second;
  };
  const [one, other] = [bound(), bound()].toSorted((a, b) => a - b);
  const format = oneOf(random, ['json', 'json', 'csv', 'ndjson', 'parquet'] as const);
  return {
    ticker,
    ...(isLong && random() < 0.3 ? aroundMidnight(random) : windowOf(random, one, other)),
    include_book: random() < 0.4,
    sizes: random() < 0.1,
    format,
    numbers: oneOf(random, ['decimal', 'decimal', 'float'] as const),
    // Only these markets were known in the past.
    ...(isLong && random() < 0.2
      ? { as_of: Math.ceil((times[pick(random, 0, times.length)] ?? openUs) / second) }
      : {}),
  };
};

/** The answers from slabs are those of ClickHouse, to the byte. Parquet cannot be compared by bytes and has no slabs. */
export const describeSlabs = (readsOf: () => ComparedReads, { seed, markets, reads }: SlabsSuite): void => {
  describe('answers from slabs', () => {
    let tested: ComparedReads;
    before(async () => {
      tested = readsOf();
      await tested.fixture.series({ id: 'S', shape: 'rolling' });
    });

    const compare = async (input: SnapshotsInput, why: string): Promise<void> => {
      const [ours, reference] = [await tested.read(input), await tested.readWithout(input)];
      const what = `${why}: ${JSON.stringify(input)}`;
      assert.equal(ours.bytes.toString(), reference.bytes.toString(), `other bytes, ${what}`);
      assert.deepEqual(ours.meta, reference.meta, `another head, ${what}`);
    };

    it(`are those of ClickHouse to the byte, while data arrives (property, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      for (let number = 0; number < markets; number += 1) {
        const market = await newMarket(tested, random, number % 2 === 1);
        for (let read = 0; read < reads; read += 1) {
          const input = { ...randomInput(random, market) };
          if (input.format === 'parquet') input.format = 'json';
          await compare(input, `market ${number}, read ${read}`);
          await tested.slabs.idle();
          if (read % 20 !== 19) continue;
          // Some of these replace stored rows.
          const us = random() < 0.5 ? market.times[pick(random, 0, market.times.length)] : undefined;
          const version = await tested.version(market.ticker);
          await tested.callers.store(market.ticker, [
            observationAt(random, us ?? openUs + pick(random, 0, 60 * second), 1_000 + read),
          ]);
          await tested.settle(market.ticker, version + 1);
        }
      }
      const { hit, miss } = await tested.counts();
      assert.ok(hit > (markets * reads) / 8, `slabs had only ${hit} of ${hit + miss} reads`);
    });

    it('are never older than the data version that they have', async () => {
      const random = seededRandom(seed);
      const ticker = `M-${randomUUID()}`;
      const window = { start_ts: openUs / second, end_ts: openUs / second + 600, step_ms: 0, limit: 5_000 };
      await tested.fixture.market({ ticker, open_us: openUs, close_us: openUs + 600 * second });
      const first = await tested.version(ticker);
      const batches = 15;
      let isStoring = true;
      const storing = (async () => {
        for (let batch = 0; batch < batches; batch += 1) {
          await tested.callers.store(ticker, [observationAt(random, openUs + batch * second, batch)]);
        }
      })().finally(() => (isStoring = false));
      let checked = 0;
      const check = async (): Promise<number> => {
        const { meta, bytes } = await tested.read({ ticker, ...window });
        const version = meta.version ?? 0;
        const rows = bytes.toString().split('{"ts":').length - 1;
        assert.ok(rows >= version - first, `${rows} rows at version ${version}, which has ${version - first}`);
        checked += 1;
        return version;
      };
      const reading = (async () => {
        while (isStoring) {
          await check();
          await tested.slabs.idle();
          // A read of an empty slab waits for nothing, and would leave no time to store.
          await setImmediate();
        }
      })();
      await Promise.all([storing, reading]);
      await tested.settle(ticker, first + batches);
      assert.equal(await check(), first + batches);
      assert.ok(checked > 2, `only ${checked} reads`);
    });
  });
};
