import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { type CatalogueFact, catalogRpc, DomainError, timeseriesRpc } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import type { z } from 'zod';
import { archive } from '../testing/archive.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

type Input = z.input<typeof catalogRpc.listMarkets.input>;
const contracts = { coverageOfMarkets: timeseriesRpc.coverageOfMarkets };
/** Every fifth market has a gap, and of the ladder nothing states completeness. */
const coverageOf = (ticker: string) => {
  const hour = Number(/^BTC-(\d\d)/.exec(ticker)?.[1] ?? NaN);
  return { covered_share: Number.isNaN(hour) ? null : hour % 5 === 0 ? 0.5 : 1, has_gaps: hour % 5 === 0 };
};

describe('a listing of markets by coverage', () => {
  let catalog: CatalogHarness;
  let serving: Awaited<ReturnType<typeof serveContracts>>;
  const requested: (number | undefined)[] = [];
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...archive);
    const handlers: Handlers<typeof contracts> = {
      coverageOfMarkets: ({ tickers, as_of }) => {
        requested.push(as_of);
        return { markets: tickers.map(coverageOf), as_of };
      },
    };
    const bus = await catalog.connect('timeseries');
    serving = await serveContracts(bus, contracts, handlers, createLogger('test', 'silent'));
  });
  after(async () => {
    await serving.stop();
    await catalog.stop();
  });

  const list = (input: Input) => catalog.call('gateway', catalogRpc.listMarkets, input);
  const tickersOf = ({ markets }: { markets: readonly { ticker: string }[] }) => markets.map(({ ticker }) => ticker);

  it('asks the time series service, keeps the other filters and the order, and goes on with a cursor', async () => {
    const all = tickersOf(await list({ series: 'BTC', from_ts: 0, limit: 200 }));
    const withGaps = all.filter((ticker) => coverageOf(ticker).has_gaps);
    assert.ok(withGaps.length > 5 && withGaps.length < all.length);
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ series: 'BTC', from_ts: 0, has_gaps: true, limit: 3, cursor });
      assert.ok(page.count === 3 || page.next_cursor === null);
      found.push(...tickersOf(page));
      cursor = page.next_cursor;
    }
    assert.deepEqual(found, withGaps);
    const whole = await list({ series: 'BTC', from_ts: 0, covered_min: 1, limit: 200 });
    assert.deepEqual(
      tickersOf(whole),
      all.filter((ticker) => !withGaps.includes(ticker)),
    );
    assert.equal((await list({ category: 'weather', has_gaps: true })).count, 0);
  });

  it('has the default window of the list without these filters', async () => {
    const [plain, filtered] = [await list({ series: 'BTC' }), await list({ series: 'BTC', has_gaps: true })];
    const { from_ts, defaulted, has_older } = plain;
    assert.partialDeepStrictEqual(filtered, { from_ts, defaulted, has_older });
    assert.deepEqual(
      tickersOf(filtered),
      tickersOf(plain).filter((ticker) => coverageOf(ticker).has_gaps),
    );
  });

  it('refuses a cursor of another filter, and a list of changes', async () => {
    const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;
    const { next_cursor: cursor } = await list({ from_ts: 0, has_gaps: true, limit: 1 });
    assert.ok(cursor !== null);
    await assert.rejects(list({ from_ts: 0, has_gaps: false, limit: 1, cursor }), refused('invalid_cursor'));
    await assert.rejects(list({ from_ts: 0, limit: 1, cursor }), refused('invalid_cursor'));
    await assert.rejects(list({ changed_since_ts: 0, has_gaps: true }), refused('invalid_input'));
  });

  it('asks for the coverage at the time of the request', async () => {
    const as_of = Math.floor(Date.now() / 1_000) - 60;
    const known: CatalogueFact = {
      kind: 'market',
      ticker: 'KNOWN-1',
      close_us: 9_000_000,
      history: [{ known_us: 1_000_000, basis: 'recorded', values: { close_us: '9000000' } }],
    };
    await catalog.recorded(known);
    requested.length = 0;
    const page = await list({ has_gaps: false, from_ts: 0, as_of });
    assert.equal(page.as_of, as_of);
    assert.deepEqual(tickersOf(page), ['KNOWN-1']);
    assert.deepEqual([...new Set(requested)], [as_of]);
  });
});
