import assert from 'node:assert/strict';
import { after, before, describe, it as test } from 'node:test';
import { marketsResponse, searchResponse } from '@almanac/contracts';
import type { ApiClient } from '../api.js';
import { suiteSystem, type SuiteOptions, type SystemHarness } from '../harness.js';
import type { SearchQuery } from './search-queries.js';

/** Imported catalogues and queries about them. */
export interface SearchRecordings {
  /** Files and folders, in the order of import. */
  readonly paths: readonly string[];
  readonly queries: readonly SearchQuery[];
  /** A query for GET /markets, and a market that it finds. */
  readonly listed: { readonly q: string; readonly ticker: string };
}

/** Tests of search as users see it, over catalogues that are imported: real or generated recordings. */
export const describeSearch = (name: string, { open, skip, system: shared }: SuiteOptions<SearchRecordings>): void => {
  describe(name, () => {
    const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
    let running: SystemHarness;
    let api: ApiClient;
    let recordings: SearchRecordings;

    const system = suiteSystem(shared);
    if (skip === false) {
      before(async () => {
        recordings = await open();
        running = await system.start();
        api = await running.client('full_book');
        for (const path of recordings.paths) {
          const { code, output } = await running.import(path);
          assert.equal(code, 0, output);
        }
      });
      after(() => system.stop());
    }

    const search = (q: string) => api.json(searchResponse, `/search?q=${encodeURIComponent(q)}`);

    it('finds the expected result of every query first', async () => {
      const others: string[] = [];
      for (const { q, first, about } of recordings.queries) {
        const { hits } = await search(q);
        const rank = hits.findIndex(({ id }) => id === first) + 1;
        if (rank !== 1) others.push(`${q} (${about}): ${first} has rank ${rank || 'none'}, first is ${hits[0]?.id}`);
      }
      assert.deepEqual(others, []);
    });

    it('names the searched words of a misspelt query, and of no other', async () => {
      for (const { q, about } of recordings.queries) {
        const { corrected_query } = await search(q);
        assert.equal(corrected_query !== undefined, about === 'spelling', `${q}: ${corrected_query}`);
      }
    });

    it('lists markets by the words of their event too', async () => {
      const { q, ticker } = recordings.listed;
      const { markets } = await api.json(marketsResponse, `/markets?limit=200&q=${encodeURIComponent(q)}`);
      assert.ok(
        markets.some((market) => market.ticker === ticker),
        `${q}: ${markets.map((market) => market.ticker).join(', ')}`,
      );
    });
  });
};
