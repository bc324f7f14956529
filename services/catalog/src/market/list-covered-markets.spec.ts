import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogRpc, encodeCursor, marketState } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { type Coverage, coverageNotices } from './coverage-filter.js';
import { comparedMax, coveredPage, type CoveredSources } from './list-covered-markets.js';
import { listingOfMarkets, type ListMarketsInput } from './list-markets.query.js';

const bounds = { from_ts: null, to_ts: null, defaulted: false, has_older: false };
const inputOf = (given: object): ListMarketsInput => catalogRpc.listMarkets.input.parse(given);

/** A catalogue of as many markets as there are coverages, in the order of their numbers. */
const sourcesOf = (coverages: readonly Coverage[], isLate = (): boolean => false) => {
  const sizes: number[] = [];
  const sources: CoveredSources = {
    readPage: ({ limit }, start) => {
      const first = start === null ? 0 : Number(start[1]) + 1;
      const items = coverages.slice(first, first + limit).map((_, at) => ({
        position: { key: -first - at, id: String(first + at) },
        row: marketState.parse({ ticker: String(first + at) }),
      }));
      return Promise.resolve({ items, hasMore: first + limit < coverages.length, window: null, bounds });
    },
    coverageOf: (tickers) => {
      sizes.push(tickers.length);
      return Promise.resolve(tickers.flatMap((ticker) => coverages[Number(ticker)] ?? []));
    },
    isLate,
  };
  return { sources, sizes };
};

/** All pages of a request, as clients read them. */
const pagesOf = async (sources: CoveredSources, given: object) => {
  const pages: { tickers: string[]; isStopped: boolean; n: number }[] = [];
  let cursor: string | undefined;
  do {
    const input = inputOf({ ...given, cursor });
    const { items, after, compared } = await coveredPage(sources, input);
    pages.push({ tickers: items.map(({ row }) => row.ticker), isStopped: compared.isStopped, n: compared.n });
    cursor = after === null ? undefined : encodeCursor(listingOfMarkets(input), after);
  } while (cursor !== undefined);
  return pages;
};

describe('a list of markets by their coverage', () => {
  const random = seededRandom(126);
  const coverages = Array.from({ length: 2_500 }, (): Coverage => {
    const share = random() < 0.2 ? null : Math.min(1, Math.round(random() * 1.5e6) / 1e6);
    return { covered_share: share, has_gaps: share === null ? random() < 0.5 : share < 1 };
  });

  it('has every market that fits once, in order, in full pages', async () => {
    for (const [given, fits] of [
      [{ has_gaps: true }, ({ has_gaps }: Coverage) => has_gaps],
      [{ has_gaps: false }, ({ has_gaps }: Coverage) => !has_gaps],
      [{ covered_min: 0.9 }, ({ covered_share }: Coverage) => covered_share !== null && covered_share >= 0.9],
      [{ covered_min: 0 }, ({ covered_share }: Coverage) => covered_share !== null],
      [{ covered_min: 1, has_gaps: true }, () => false],
    ] as const) {
      const expected = coverages.flatMap((one, at) => (fits(one) ? [String(at)] : []));
      for (const limit of [1, 7, 200].slice(expected.length > 500 ? 1 : 0)) {
        const pages = await pagesOf(sourcesOf(coverages).sources, { ...given, limit });
        const name = `${JSON.stringify(given)} ${limit}`;
        assert.deepEqual(
          pages.flatMap(({ tickers }) => tickers),
          expected,
          name,
        );
        assert.ok(
          pages.slice(0, -1).every(({ tickers }) => tickers.length === limit),
          name,
        );
        // `has_more` is exact: only an archive without a match has an empty page.
        assert.ok(expected.length === 0 || pages.every(({ tickers }) => tickers.length > 0), name);
      }
    }
  });

  it('compares few markets where many fit, and at most a thousand at once', async () => {
    const all = Array.from({ length: 5_000 }, (_, at): Coverage => ({ covered_share: 1, has_gaps: at === 4_000 }));
    const easy = sourcesOf(all);
    await coveredPage(easy.sources, inputOf({ covered_min: 1, limit: 50 }));
    assert.deepEqual(easy.sizes, [200]);
    const rare = sourcesOf(all);
    const { items } = await coveredPage(rare.sources, inputOf({ has_gaps: true }));
    assert.deepEqual(
      items.map(({ row }) => row.ticker),
      ['4000'],
    );
    assert.deepEqual(rare.sizes, [200, 200, 400, 800, 1_000, 1_000, 1_000, 400]);
  });

  it('ends a page that is not full after ten thousand markets or without time, says so, and goes on', async () => {
    const rare = Array.from({ length: 23_000 }, (_, at): Coverage => ({
      covered_share: 1,
      has_gaps: at % 9_000 === 0,
    }));
    const pages = await pagesOf(sourcesOf(rare).sources, { has_gaps: true, limit: 2 });
    assert.deepEqual(
      pages.flatMap(({ tickers }) => tickers),
      ['0', '9000', '18000'],
    );
    assert.ok(pages.some(({ isStopped, tickers }) => isStopped && tickers.length < 2));
    assert.ok(pages.every(({ n }) => n < comparedMax + 1_000));
    assert.equal(pages.at(-1)?.isStopped, false);
    const late = await pagesOf(sourcesOf(rare, () => true).sources, { has_gaps: true });
    assert.deepEqual(
      late.flatMap(({ tickers }) => tickers),
      ['0', '9000', '18000'],
    );
    assert.ok(late.length > 100 && late.every(({ n }) => n <= 200));
    const stopped = { n: 10_200, listedUnknownN: 0, leftOutUnknownN: 0, isStopped: true };
    assert.match(
      coverageNotices({ has_gaps: true }, stopped)[0]?.detail ?? '',
      /^10,200 markets were compared.*next_cursor/,
    );
  });

  it('says of how many markets nothing states completeness, listed or left out', async () => {
    const few: Coverage[] = [
      { covered_share: null, has_gaps: false },
      { covered_share: null, has_gaps: true },
      { covered_share: 1, has_gaps: false },
      { covered_share: 0.5, has_gaps: true },
    ];
    const noticesFor = async (given: object) => {
      const input = inputOf(given);
      const { compared } = await coveredPage(sourcesOf(few).sources, input);
      return coverageNotices(input, compared).map(({ code, detail, loc }) => [code, /\d+/.exec(detail)?.[0], loc?.[1]]);
    };
    assert.deepEqual(await noticesFor({ has_gaps: true }), []);
    assert.deepEqual(await noticesFor({ has_gaps: false }), [['completeness_unknown', '1', 'has_gaps']]);
    assert.deepEqual(await noticesFor({ covered_min: 0.9 }), [['completeness_unknown', '2', 'covered_min']]);
    assert.deepEqual(await noticesFor({ covered_min: 1, has_gaps: false }), [
      ['completeness_unknown', '1', 'covered_min'],
    ]);
  });
});
