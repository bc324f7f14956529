import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rows } from '@almanac/clickhouse';
import { catalogRpc, type FeedIds } from '@almanac/contracts';
import { z } from 'zod';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

let catalog: CatalogHarness;
before(async () => {
  catalog = await startHarness();
});
after(() => catalog.stop());

const market = (ticker: string, feed_ids: FeedIds) => ({ kind: 'market', ticker, feed_ids }) as const;

const found = async (...ids: string[]) => (await catalog.call('ingest', catalogRpc.marketsByFeedIds, { ids })).markets;

test('a market is found by its condition and its tokens, which several sources state', async () => {
  const ids = { condition: '0xaa', yes: '11', no: '12' };
  await catalog.recorded(
    market('one', { condition: '0xaa', yes: null, no: null }),
    market('two', { condition: '0xbb', yes: '21', no: '22' }),
    { kind: 'market', ticker: 'other' },
  );
  assert.deepEqual(await found('0xaa', '11'), [{ ticker: 'one', ids: { condition: '0xaa', yes: null, no: null } }]);
  await catalog.recorded(market('one', { condition: null, yes: '11', no: '12' }));
  await catalog.recorded({ kind: 'market', ticker: 'one', title: 'A title' });
  for (const id of ['0xaa', '11', '12']) assert.deepEqual(await found(id, '99'), [{ ticker: 'one', ids }]);
  assert.deepEqual(
    (await found('22', '12', '11')).map(({ ticker }) => ticker),
    ['one', 'two'],
  );
  assert.deepEqual(await found('99'), []);
});

test('a lookup reads only the parts that may have an id', async () => {
  const plan = await rows(
    catalog.clickhouse,
    { sql: "EXPLAIN indexes = 1 SELECT ticker FROM markets WHERE hasAny(feed_ids, ['11'])" },
    z.object({ explain: z.string() }),
  );
  assert.ok(plan.some(({ explain }) => explain.includes('by_feed_ids')));
});
