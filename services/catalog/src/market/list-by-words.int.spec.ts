import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CatalogueFact, catalogRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { dayUs, nowUs } from '../testing/archive.js';

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
  const markets = Array.from({ length: 300 }, (_, n): CatalogueFact => {
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
  let catalog: CatalogHarness;
  const seed = 20_261_122;
  before(async () => {
    catalog = await startHarness();
    await catalog.recorded(...randomCatalogue(seededRandom(seed)));
  });
  after(() => catalog.stop());

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
    for (let round = 0; round < 20; round += 1) {
      const q = some(random, 1 + below(random, 3)).slice(0, 4 + below(random, 20));
      const window = below(random, 2) === 0 ? {} : { to_ts: nowUs / 1e6 };
      const found = await allPages({ q, ...window, limit: 20 + below(random, 60) });
      const tickers = found.map(({ ticker }) => ticker);
      assert.deepEqual(tickers, [...new Set(tickers)], q);
      const ofSeries = await Promise.all(seriesIds.map((series) => allPages({ q, series, ...window, limit: 200 })));
      const expected = ofSeries.flat().map(({ ticker }) => ticker);
      const inSeries = found.filter(({ series }) => series !== null).map(({ ticker }) => ticker);
      assert.deepEqual(inSeries.toSorted(), expected.toSorted(), `${q}, seed ${seed}`);
      matched += expected.length;
    }
    assert.ok(matched > 500, `only ${matched} markets matched`);
  });
});
