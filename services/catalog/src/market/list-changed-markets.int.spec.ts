import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { command } from '@almanac/clickhouse';
import { type CatalogueFact, catalogRpc, DomainError, type Market } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import type { z } from 'zod';
import { archive } from '../testing/archive.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

const titleOrder = (title: string | null): number => ['second', 'third', 'fourth'].indexOf(title ?? '');

type Input = z.input<typeof catalogRpc.listMarkets.input>;

for (const partitions of [1, 4])
  describe(`markets by their last change, ${partitions} partitions of the stream`, () => {
    let catalog: CatalogHarness;
    before(async () => {
      catalog = await startHarness(partitions);
      await catalog.recorded(...archive);
    });
    after(() => catalog.stop());

    const list = (input: Input) => catalog.call('gateway', catalogRpc.listMarkets, input);
    const refused = (code: string, text: RegExp) => (error: unknown) =>
      error instanceof DomainError && error.code === code && text.test(error.message);
    const all = archive.flatMap((fact) => (fact.kind === 'market' ? [fact.ticker] : []));

    /** Every page up to the end, and the cursor with which to go on. */
    const walk = async (input: Input): Promise<{ markets: Market[]; cursor: string }> => {
      const markets: Market[] = [];
      for (let { cursor = '' } = input; ;) {
        const page = await list({ ...input, cursor });
        markets.push(...page.markets);
        assert.ok(page.next_cursor !== null, 'there is always a way to go on');
        cursor = page.next_cursor;
        if (!page.has_more) return { markets, cursor };
      }
    };
    const tickersOf = ({ markets }: { markets: readonly Market[] }) => markets.map(({ ticker }) => ticker);
    const change = (ticker: string, fields: object) => ({ kind: 'market', ticker, ...fields }) as CatalogueFact;

    it('lists each market once, page by page, and then only what changed since', async () => {
      const { markets, cursor } = await walk({ changed_since_ts: 0, limit: 7 });
      assert.deepEqual(tickersOf({ markets }).toSorted(), all.toSorted());
      const quiet = await list({ changed_since_ts: 0, cursor });
      assert.deepEqual([quiet.count, quiet.has_more, quiet.defaulted, quiet.has_older], [0, false, false, false]);

      for (const [ticker, title] of [
        ['BTC-20-1', 'first'],
        ['LOOSE', 'second'],
        ['BTC-03-1', 'third'],
        ['BTC-20-1', 'fourth'],
      ] as const)
        await catalog.recorded(change(ticker, { title }));
      const since = await walk({ changed_since_ts: 0, cursor: quiet.next_cursor, limit: 1 });
      const titles = since.markets.map(({ ticker, title }) => [ticker, title]);
      // Changes of different partitions have no order.
      if (partitions > 1) titles.sort(([, one = ''], [, other = '']) => titleOrder(one) - titleOrder(other));
      assert.deepEqual(titles, [
        ['LOOSE', 'second'],
        ['BTC-03-1', 'third'],
        ['BTC-20-1', 'fourth'],
      ]);
      await catalog.recorded(change('LOOSE', { title: 'second' }));
      assert.equal(
        (await list({ changed_since_ts: 0, cursor: since.cursor })).count,
        0,
        'a repeated fact is no change',
      );
    });

    // How many partitions there are makes no difference to these.
    if (partitions === 1) {
      it('begins at the requested time', async () => {
        await pause(20);
        const since = Date.now() / 1_000;
        await pause(20);
        await catalog.recorded(change('BTC-07-1', { title: 'later' }));
        assert.deepEqual(tickersOf(await list({ changed_since_ts: since })), ['BTC-07-1']);
        assert.equal((await list({ changed_since_ts: Date.now() / 1_000 + 60 })).count, 0);
      });

      it('combines with every other filter, and ignores the default window', async () => {
        const count = async (input: Input) => (await walk({ changed_since_ts: 0, ...input })).markets.length;
        assert.equal(await count({ series: 'BTC', days: 1 }), 50);
        assert.equal(await count({ event: 'HIGH-1' }), 4);
        assert.equal(await count({ category: 'weather', status: 'live' }), 3);
        assert.equal(await count({ series: 'BTC', status: 'finalized' }), 25);
        assert.equal(await count({ q: 'bitcoin', limit: 3 }), 50);
        assert.equal(await count({ from_ts: 1e300 }), 0);
        assert.equal(await count({ series: 'BTC', to_ts: 0 }), 0);
        assert.equal(await count({ status: 'nonsense' }), 0);
        const none = await list({ changed_since_ts: 0, status: 'nonsense' });
        assert.ok(none.next_cursor !== null && !none.has_more);
        const { next_cursor: cursor } = await list({ changed_since_ts: 0, series: 'BTC', limit: 1 });
        await assert.rejects(list({ changed_since_ts: 0, cursor }), refused('invalid_cursor', /cursor/));
        await assert.rejects(list({ changed_since_ts: 1, series: 'BTC', cursor }), refused('invalid_cursor', /cursor/));
        await assert.rejects(list({ series: 'BTC', cursor }), refused('invalid_cursor', /cursor/));
      });

      it('refuses a time that no archive has, and says if it looks like milliseconds', async () => {
        const between = /changed_since_ts must be between 0 and 4102444800/;
        await assert.rejects(list({ changed_since_ts: -1 }), refused('invalid_window', between));
        await assert.rejects(list({ changed_since_ts: 4_102_444_801 }), refused('invalid_window', between));
        await assert.rejects(list({ changed_since_ts: 1_771_993_365_058 }), refused('invalid_window', /milliseconds/));
      });

      it('shows the present state where outdated and repeated rows are stored', async () => {
        const { cursor } = await walk({ changed_since_ts: 0 });
        for (const title of ['one', 'two', 'three']) await catalog.recorded(change('BTC-11-1', { title }));
        await command(catalog.clickhouse, {
          sql: `INSERT INTO markets SELECT * FROM markets WHERE ticker = 'BTC-11-1'`,
        });
        const { markets } = await walk({ changed_since_ts: 0, cursor, limit: 1 });
        assert.deepEqual(
          markets.map(({ ticker, title }) => [ticker, title]),
          [['BTC-11-1', 'three']],
        );
      });
    }

    it('has every market while rows of later changes are there already', async () => {
      const { cursor } = await walk({ changed_since_ts: 0 });
      await catalog.recorded(change('BTC-13-1', { title: 'complete' }));
      // A merge would leave the later rows alone. Sequences stay in their partition.
      await command(catalog.clickhouse, { sql: 'SYSTEM STOP MERGES markets' });
      const later = (ticker: string) => `INSERT INTO markets SELECT * REPLACE (seq + 1000000 AS seq, 'later' AS title)
        FROM markets FINAL WHERE ticker = '${ticker}'`;
      for (const ticker of ['BTC-13-1', 'LOOSE']) await command(catalog.clickhouse, { sql: later(ticker) });
      const titles = async (input: Input) => (await walk(input)).markets.map(({ ticker, title }) => [ticker, title]);
      assert.deepEqual(await titles({ changed_since_ts: 0, cursor }), [['BTC-13-1', 'complete']]);
      for (const limit of [7, 200]) {
        const everything = new Map((await titles({ changed_since_ts: 0, limit })) as [string, string][]);
        assert.deepEqual([...everything.keys()].toSorted(), all.toSorted());
        assert.equal(everything.get('LOOSE'), 'second');
      }

      await command(catalog.clickhouse, { sql: 'SYSTEM START MERGES markets' });
      // Not while another merge runs.
      const merge = 'OPTIMIZE TABLE markets FINAL SETTINGS optimize_throw_if_noop = 1';
      await eventually(() => command(catalog.clickhouse, { sql: merge }));
      // The answer to a limit of 200 is in the cache.
      const early = new Map((await titles({ changed_since_ts: 0, limit: 100 })) as [string, string][]);
      assert.deepEqual([early.size, early.get('LOOSE')], [all.length, 'later']);

      await command(catalog.clickhouse, { sql: `DELETE FROM markets WHERE title = 'later'` });
      for (const ticker of ['BTC-13-1', 'LOOSE']) await catalog.recorded(change(ticker, { title: 'complete again' }));
    });

    it('keeps a copy equal to the archive while several processes change it', async () => {
      const stopOther = await catalog.another();
      const copy = new Map<string, string | null>();
      const random = seededRandom(7);
      const pick = (): string => all[Math.floor(random() * all.length)] ?? '';
      let isChanging = true;
      const changing = async (): Promise<void> => {
        for (let n = 0; n < 15; n += 1) {
          const facts = Array.from({ length: 5 }, (_, i) => change(pick(), { title: `change ${n}.${i}` }));
          await catalog.call('ingest', catalogRpc.record, { facts });
        }
        isChanging = false;
      };
      const done = changing();
      let cursor = '';
      const follow = async (): Promise<void> => {
        const found = await walk({ changed_since_ts: 0, cursor, limit: 11 });
        for (const { ticker, title } of found.markets) copy.set(ticker, title);
        cursor = found.cursor;
      };
      while (isChanging) await follow();
      await done;
      const { last_seq: seq } = await catalog.call('ingest', catalogRpc.record, { facts: [change('LAST', {})] });
      await catalog.call('ingest', catalogRpc.awaitReadable, { seq });
      await follow();
      const current = new Map(
        (await walk({ changed_since_ts: 0, limit: 200 })).markets.map((m) => [m.ticker, m.title]),
      );
      assert.deepEqual(Object.fromEntries(copy), Object.fromEntries(current));
      assert.equal(copy.size, all.length + 1);
      await stopOther();
    });
  });
