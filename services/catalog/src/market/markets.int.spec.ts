import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytesOf, hasRead, rpcClient, type RpcClient, subjects } from '@almanac/bus';
import { type CatalogueFact, catalogRpc, DomainError } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import type { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { archive, dayUs, hourUs, nowUs, oldDay } from '../testing/archive.js';

// One service for all: each group records what it needs after the groups before it have read.
let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
});
after(() => catalog.stop());

describe('a listing of markets', () => {
  before(() => catalog.recorded(...archive));

  const query = {
    markets: (input: z.input<typeof catalogRpc.listMarkets.input>) =>
      catalog.call('gateway', catalogRpc.listMarkets, input),
    series: (input: z.input<typeof catalogRpc.listSeries.input>) =>
      catalog.call('gateway', catalogRpc.listSeries, input),
    event: (input: z.input<typeof catalogRpc.eventDetail.input>) =>
      catalog.call('gateway', catalogRpc.eventDetail, input),
  };
  const tickersOf = (answer: { markets: readonly { ticker: string }[] }) => answer.markets.map(({ ticker }) => ticker);
  const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;

  it('returns the last day of an old series, newest close first, and more days on request', async () => {
    const day = await query.markets({ series: 'BTC' });
    assert.deepEqual([day.count, day.has_more, day.next_cursor], [25, false, null]);
    assert.deepEqual(tickersOf(day).slice(0, 2), ['BTC-49-1', 'BTC-48-1']);
    assert.equal((await query.markets({ series: 'BTC', days: 2 })).count, 49);
    assert.equal((await query.markets({ series: 'BTC', days: 7 })).count, 50);
  });

  it('returns live markets besides the last day, those without a known close first', async () => {
    assert.deepEqual(tickersOf(await query.markets({})).slice(0, 6), [
      'LOOSE',
      'HIGH-1-OTHER',
      'HIGH-1-T100000',
      'HIGH-1-T9',
      'HIGH-1-T95999.99',
      'BTC-49-1',
    ]);
    assert.equal((await query.markets({ status: 'live' })).count, 5);
    assert.equal((await query.markets({ category: 'weather' })).count, 3);
  });

  it('covers all times when times, an event or words are given, both ends of a window included', async () => {
    const from_ts = (oldDay + hourUs) / 1e6;
    assert.deepEqual(tickersOf(await query.markets({ from_ts, to_ts: from_ts })), ['BTC-00-1']);
    assert.equal((await query.markets({ from_ts: 0 })).count, 50);
    assert.deepEqual(tickersOf(await query.markets({ to_ts: from_ts })), ['BTC-00-1']);
    assert.deepEqual(tickersOf(await query.markets({ event: 'BTC-03' })), ['BTC-03-1']);
    assert.deepEqual(tickersOf(await query.markets({ q: 'up BITCOIN 7' })), ['BTC-07-1']);
    assert.equal((await query.markets({ from_ts: 1e300 })).count, 0);
    assert.equal((await query.markets({ to_ts: 1e300, from_ts: -1e300, limit: 200 })).count, 54);
  });

  it('says which window it used, and whether that left out older markets', async () => {
    const windowOf = async (input: Parameters<typeof query.markets>[0]) => {
      const { from_ts, to_ts, defaulted, has_older } = await query.markets(input);
      return [from_ts, to_ts, defaulted, has_older];
    };
    const newest = oldDay / 1e6 + 50 * 3_600;
    assert.deepEqual(await windowOf({ series: 'BTC' }), [newest - 86_400, null, true, true]);
    assert.deepEqual(await windowOf({ series: 'BTC', days: 7 }), [newest - 7 * 86_400, null, true, false]);
    // Short pages: one within the window, and one with live markets only.
    assert.deepEqual(await windowOf({ series: 'BTC', limit: 1 }), [newest - 86_400, null, true, true]);
    assert.deepEqual(await windowOf({ series: 'BTC', limit: 1, days: 7 }), [newest - 7 * 86_400, null, true, false]);
    assert.deepEqual(await windowOf({ limit: 2 }), [newest - 86_400, null, true, true]);
    assert.deepEqual(await windowOf({ series: 'HIGH' }), [null, null, true, false]);
    assert.deepEqual(await windowOf({ status: 'open' }), [null, null, true, false]);
    assert.deepEqual(await windowOf({ from_ts: 5, to_ts: 6.5 }), [5, 6.5, false, false]);
    assert.deepEqual(await windowOf({ from_ts: 5 }), [5, null, false, false]);
    assert.deepEqual(await windowOf({ event: 'BTC-03' }), [null, null, false, false]);
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof query.markets>> = await query.markets({ series: 'BTC', limit: 9, cursor });
      assert.deepEqual([page.from_ts, page.defaulted, page.has_older], [newest - 86_400, true, true]);
      cursor = page.next_cursor;
    }
  });

  it('computes the status, and finds nothing by an unknown status', async () => {
    assert.equal((await query.markets({ series: 'BTC', status: 'finalized' })).count, 13);
    assert.ok(
      (await query.markets({ series: 'BTC', status: 'closed' })).markets.every(({ status }) => status === 'closed'),
    );
    assert.equal((await query.markets({ status: 'open' })).count, 0);
    assert.equal((await query.series({ status: 'nonsense' })).count, 0);
    assert.equal(
      (await query.markets({ status: '', category: '', series: '', event: '', q: '', cursor: '' })).count,
      30,
    );
  });

  it('continues by cursor without a repeat or a hole, and refuses a cursor that it did not create', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof query.markets>> = await query.markets({ limit: 7, cursor });
      seen.push(...tickersOf(page));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen, tickersOf(await query.markets({ limit: 200 })));
    assert.equal(seen.length, 30);
    const written = (position: string) => Buffer.from(position).toString('base64url');
    const forged = [
      written('["1","2","3"]'),
      written('["1e99",0,"T"]'),
      written('[0,"",null]'),
      written('[0, "T", 0]'),
      written('["12345678",[0,"T",null]]'),
    ];
    for (const cursor of ['x', 'W10', '💥', ...forged]) {
      await assert.rejects(query.markets({ cursor }), refused('invalid_cursor'));
      await assert.rejects(query.event({ event_id: 'HIGH-1', cursor }), refused('invalid_cursor'));
    }
  });

  it('continues by cursor with any limit and with an empty filter, but not with another filter', async () => {
    const { next_cursor: cursor } = await query.markets({ series: 'BTC', limit: 4 });
    const rest = await query.markets({ series: 'BTC', limit: 200, status: '', q: null, days: 1, cursor });
    assert.equal(rest.count, 21);
    const others = [{}, { series: 'HIGH' }, { series: 'BTC', days: 2 }, { series: 'BTC', from_ts: 0 }, { q: 'BTC' }];
    for (const other of others) {
      await assert.rejects(query.markets({ ...other, cursor }), refused('invalid_cursor'), JSON.stringify(other));
    }
    const { next_cursor: ofEvent } = await query.event({ event_id: 'HIGH-1', limit: 1 });
    await assert.rejects(query.event({ event_id: 'BTC-03', cursor: ofEvent }), refused('invalid_cursor'));
    await assert.rejects(query.markets({ event: 'HIGH-1', cursor: ofEvent }), refused('invalid_cursor'));
  });
});

const words = ['bitcoin', 'bit', 'price', 'prices', 'rain', 'rainfall', 'miami', 'week', '15', 'up'];
const seriesIds = ['KXBTC', 'KXRAIN', 'KXMIAMI', 'PRICE', 'W'];

type Random = ReturnType<typeof seededRandom>;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const some = (random: Random, count: number): string =>
  Array.from({ length: count }, () => words[below(random, words.length)] ?? '').join(' ');

/** Markets whose words are spread over themselves, their event and their series. Some have no event or no series. */
const randomCatalogue = (random: Random): CatalogueFact[] => {
  const series = seriesIds.map((id): CatalogueFact => ({ kind: 'series', id, label: some(random, 2) }));
  const events = seriesIds.flatMap((id) =>
    Array.from({ length: 6 }, (_, n): CatalogueFact & { kind: 'event' } => ({
      kind: 'event',
      event_ticker: `${id}-${n}`,
      title: some(random, 1),
      series: id,
    })),
  );
  const markets = Array.from({ length: 120 }, (_, n): CatalogueFact => {
    const event = events[below(random, events.length)];
    assert.ok(event);
    return {
      kind: 'market',
      ticker: `${event.event_ticker}-${n}`,
      title: some(random, 1 + below(random, 2)),
      close_us: nowUs + (below(random, 40) - 20) * dayUs,
      ...(below(random, 10) > 0 && { series: event.series ?? null }),
      ...(below(random, 4) > 0 && { event_ticker: event.event_ticker, series: event.series ?? null }),
    };
  });
  return [...series, ...events, ...markets];
};

describe('a listing of markets by words', () => {
  const seed = 20_261_122;
  before(() => catalog.recorded(...randomCatalogue(seededRandom(seed))));

  const allPages = async (input: { q: string; series?: string; limit: number; to_ts?: number }) => {
    const found: { ticker: string; series: string | null }[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { markets: typeof found; next_cursor: string | null } = await catalog.call(
        'gateway',
        catalogRpc.listMarkets,
        { ...input, cursor },
      );
      found.push(...page.markets);
      cursor = page.next_cursor;
    }
    return found;
  };

  it('has the same markets in all pages as the listings of each series, each once', async () => {
    const random = seededRandom(seed + 1);
    let matched = 0;
    for (let round = 0; round < 8; round += 1) {
      const q = some(random, 1 + below(random, 3)).slice(0, 4 + below(random, 20));
      const window = below(random, 2) === 0 ? {} : { to_ts: nowUs / 1e6 };
      const found = await allPages({ q, ...window, limit: 10 + below(random, 30) });
      const tickers = found.map(({ ticker }) => ticker);
      assert.deepEqual(tickers, [...new Set(tickers)], q);
      const expected: string[] = [];
      for (const series of seriesIds)
        expected.push(...(await allPages({ q, series, ...window, limit: 200 })).map(({ ticker }) => ticker));
      const inSeries = found.filter(({ series }) => seriesIds.includes(series ?? '')).map(({ ticker }) => ticker);
      assert.deepEqual(inSeries.toSorted(), expected.toSorted(), `${q}, seed ${seed}`);
      matched += expected.length;
    }
    assert.ok(matched > 100, `only ${matched} markets matched`);
  });
});

const ticker = 'KXHIGHNY-26FEB10-T50';
const opensUs = 1_771_891_200_000_000;

describe('the detail of a market, for the cache of a gateway', () => {
  let rpc: RpcClient;
  const read = async (input: { ticker: string; as_of?: number } = { ticker }) => {
    const reply = await rpc.forward(catalogRpc.marketDetail, { input, context: { requestId: 'test' } });
    const text = (await bytesOf(reply)).toString('utf8');
    return { meta: reply.meta, text, market: catalogRpc.marketDetail.output.parse(JSON.parse(text)).market };
  };
  before(async () => {
    rpc = rpcClient(await catalog.connect('gateway'));
    const history = [
      { known_us: opensUs, basis: 'recorded' as const, values: { close_us: String(opensUs + 900_000_000) } },
    ];
    const times = { close_us: opensUs + 900_000_000, history };
    await catalog.recorded({ kind: 'market', ticker, series: 'HIGH', ...times }, { kind: 'market', ticker: 'ALONE' });
  });

  it('names the events that it is from, and has a hash of its bytes', async () => {
    const [detail, again, alone] = [await read(), await read(), await read({ ticker: 'ALONE' })];
    assert.deepEqual(detail.meta.catalogue?.subjects, [subjects.market(ticker), subjects.series('HIGH')]);
    assert.deepEqual(alone.meta.catalogue?.subjects, [subjects.market('ALONE')]);
    const past = await read({ ticker, as_of: opensUs / 1_000_000 + 1 });
    assert.deepEqual(past.meta.catalogue?.subjects, detail.meta.catalogue?.subjects);
    assert.equal(again.meta.digest, detail.meta.digest);
    assert.match(detail.meta.digest ?? '', /^[\w-]{22}$/);
    assert.notEqual(alone.meta.digest, detail.meta.digest);
  });

  it('has every event up to its position, of the market and of its series', async () => {
    for (let n = 1; n <= 30; n += 1) {
      const { last_seq } = await catalog.call('ingest', catalogRpc.record, {
        facts: [
          { kind: 'series', id: 'HIGH', shape: `shape ${n}` },
          { kind: 'market', ticker, title: `${n}` },
        ],
      });
      const { market } = await eventually(async () => {
        const detail = await read();
        assert.ok(hasRead(detail.meta.catalogue?.position ?? [], last_seq));
        return detail;
      });
      assert.deepEqual([market.title, market.shape], [`${n}`, `shape ${n}`]);
    }
  });
});
