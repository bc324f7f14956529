import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Almanac } from '@almanac/client';
import { z } from 'zod';
import type { ArchivedMarket, ClientsSystem } from '../clients-system.js';
import { type Agent, clientKinds, connectHttp, connectStdio, errorOf, startEndpoint } from './connect.js';
import { callEveryTool, created } from './every-tool.js';

const part = z.looseObject({ truncated: z.boolean(), next: z.record(z.string(), z.unknown()).nullable() });

/** The data of a call and of those that its `next` leads to. */
const readAll = async (agent: Agent, name: string, args: Readonly<Record<string, unknown>>) => {
  const parts: Record<string, unknown>[] = [];
  for (let next: Readonly<Record<string, unknown>> | null = args; next !== null;) {
    assert.ok(parts.length < 200, `${name} does not end`);
    const data = part.parse(await agent.data(name, next));
    assert.equal(data.truncated, data.next !== null);
    parts.push(data);
    next = data.next;
  }
  return parts;
};

const candles = z.object({ candles: z.array(z.array(z.number().nullable())), period_s: z.number() });
const grid = z.object({ ts: z.array(z.number()), markets: z.array(z.looseObject({ ticker: z.string() })) });

type Variables = Readonly<Record<'ALMANAC_BASE_URL' | 'ALMANAC_API_KEY', string>>;

export const describeMcp = (clients: () => ClientsSystem): void => {
  describe('the MCP server', () => {
    let market: ArchivedMarket;
    let variables: Variables;
    let agent: Agent;
    let almanac: Almanac;
    const newVariables = async (plan: 'free' | 'full_book') => ({
      ALMANAC_BASE_URL: clients().baseUrl,
      ALMANAC_API_KEY: await clients().key(plan),
    });
    before(async () => {
      market = clients().markets.at(-1) ?? assert.fail('there is no market');
      variables = await newVariables('full_book');
      almanac = new Almanac({ baseUrl: variables.ALMANAC_BASE_URL, apiKey: variables.ALMANAC_API_KEY });
      agent = await connectStdio(variables);
    });
    after(() => agent.close());

    it('answers the calls of every tool on standard input and output', async () => {
      assert.equal((await callEveryTool(agent, market)).length, 10);
    });

    it('answers every version of the protocol, and writes no key to its log', async () => {
      const { ALMANAC_BASE_URL, ALMANAC_API_KEY: key } = variables;
      const endpoint = await startEndpoint({ ALMANAC_BASE_URL });
      try {
        for (const kind of clientKinds) {
          for (const own of [await connectStdio(variables, kind), await connectHttp(endpoint.url, key, kind)]) {
            assert.equal((await own.tools()).length, 10, kind);
            assert.ok('hits' in (await own.data('search', { q: market.event })), kind);
            await own.close();
          }
        }
        assert.ok(!endpoint.log().includes(key));
      } finally {
        assert.equal(await endpoint.stop(), 0);
      }
    });

    describe('a long list', () => {
      it('of hits is cut, and `next` leads to all of them once', async () => {
        const parts = await readAll(agent, 'search', { q: 'GENRATE', limit: 2 });
        const hits = parts.flatMap(({ hits: some }) => z.array(z.object({ id: z.string() })).parse(some));
        const all = await almanac.search('GENRATE').toArray();
        assert.ok(parts.length > 1);
        assert.deepEqual(
          hits.map(({ id }) => id),
          all.map(({ id }) => id),
        );
      });

      it('of markets is cut, and `next` leads to all of them once', async () => {
        const parts = await readAll(agent, 'get_event', { event: market.ladderEvent, limit: 2 });
        const tickers = parts.flatMap(({ markets }) => z.array(z.object({ ticker: z.string() })).parse(markets));
        const all = await almanac.events.markets(market.ladderEvent).toArray();
        assert.ok(parts.length > 1);
        assert.deepEqual(
          tickers.map(({ ticker }) => ticker),
          all.map(({ ticker }) => ticker),
        );
      });

      it('of candles is cut, and `next` leads to all of them once', async () => {
        const parts = await readAll(agent, 'get_candles', { ticker: market.ticker, period_s: 60, limit: 10 });
        const rows = parts.flatMap((one) => candles.parse(one).candles);
        const all = await almanac.markets.candles(market.ticker, { period_s: 60 }).toArray();
        assert.ok(parts.length > 1);
        assert.deepEqual(
          rows.map(([start, , , , close]) => [start, close]),
          all.map(({ start_ts, mid }) => [start_ts, mid.close]),
        );
      });

      it('of candles has the whole window without a period', async () => {
        const { candles: rows, period_s } = candles.parse(
          await agent.data('get_candles', { ticker: market.ticker, limit: 10 }),
        );
        assert.ok(rows.length <= 10 && period_s > 60);
        assert.ok((rows[0]?.[0] ?? Infinity) <= market.openTs);
        assert.ok((rows.at(-1)?.[0] ?? 0) + period_s >= market.closeTs - 1);
      });

      it('of times and markets is cut, and `next` leads to each value once', async () => {
        const args = { event: market.ladderEvent, step_ms: 300_000, limit: 5, markets: 2 };
        const parts = (await readAll(agent, 'event_on_one_clock', args)).map((one) => grid.parse(one));
        const keysOf = ({ ts, markets }: z.output<typeof grid>) =>
          markets.flatMap(({ ticker, yes_best_bid }) => {
            const bids = z.array(z.number().nullable()).parse(yes_best_bid);
            assert.equal(bids.length, ts.length);
            return ts.map((time, at) => `${ticker} ${time} ${bids[at]}`);
          });
        const whole = await almanac.events.snapshots(market.ladderEvent, { step_ms: 300_000 }).toArray();
        assert.ok(parts.length > 2);
        assert.deepEqual(parts.flatMap(keysOf).toSorted(), whole.flatMap((one) => keysOf(grid.parse(one))).toSorted());
      });

      it('of book levels is cut', async () => {
        const at = { ticker: market.ticker, at_ts: market.openTs + 60 };
        const data = part.parse(await agent.data('book_at', { ...at, depth: 1 }));
        assert.deepEqual([data.truncated, data.next?.['depth']], [true, 5]);
      });

      it('has the bound in place of a limit above it, and says so', async () => {
        const { isError, content } = await agent.call('search', { q: 'x', limit: 51 });
        assert.equal(isError, undefined);
        assert.match(content[0]?.text ?? '', /limit is 50, its maximum\./);
      });
    });

    describe('an error', () => {
      it('of the API has its code, remedy and request id, and the nearest id', async () => {
        const result = await agent.call('get_market', { ticker: `${market.ticker}X` });
        const error = errorOf(result);
        assert.equal(error.code, 'market_not_found');
        assert.match(error.request_id ?? '', /./);
        assert.ok(error.remedy.length > 10);
        assert.deepEqual(error['nearest'], [market.ticker]);
      });

      it('tells milliseconds from seconds', async () => {
        const error = errorOf(await agent.call('get_candles', { ticker: market.ticker, start_ts: Date.now() }));
        assert.match(error.detail, /millisecond/);
      });

      it('ends the start without a key, and with an unreadable ALMANAC_AS_OF', async () => {
        await assert.rejects(connectStdio({ ALMANAC_BASE_URL: variables.ALMANAC_BASE_URL }));
        await assert.rejects(connectStdio({ ...variables, ALMANAC_AS_OF: 'yesterday' }));
      });
    });

    describe('ALMANAC_AS_OF', () => {
      let pinned: Agent;
      let asOf: number;
      before(async () => {
        asOf = Math.floor((market.openTs + market.closeTs) / 2);
        const ALMANAC_AS_OF = new Date(asOf * 1_000).toISOString();
        pinned = await connectStdio({ ...variables, ALMANAC_AS_OF });
      });
      after(() => pinned.close());

      it('hides what became known later, in every tool, and refuses another time', async () => {
        const { ticker, event } = market;
        const resultOf = (data: Record<string, unknown>) =>
          z.object({ result: z.string().nullable() }).parse(data['market']).result;
        assert.equal(resultOf(await agent.data('get_market', { ticker })) === null, false);
        const detail = await pinned.data('get_market', { ticker });
        assert.deepEqual([resultOf(detail), detail['as_of']], [null, asOf]);
        const rows = candles.parse(await pinned.data('get_candles', { ticker, period_s: 60, limit: 500 })).candles;
        assert.ok(rows.length > 0 && rows.every(([start]) => (start ?? Infinity) <= asOf));
        const clock = grid.parse(await pinned.data('event_on_one_clock', { event, limit: 200 }));
        assert.ok(clock.ts.length > 0 && clock.ts.every((ts) => ts <= asOf));
        for (const [name, args] of [
          ['search', { q: event }],
          ['get_event', { event }],
          ['book_at', { ticker, at_ts: asOf - 1 }],
          ['coverage', { ticker }],
          ['quote_export', { event }],
        ] as const) {
          assert.equal((await pinned.data(name, args))['as_of'], asOf, name);
          assert.equal((await pinned.call(name, { ...args, as_of: asOf + 86_400 })).isError, true, name);
        }
      });

      it('makes exports as of it, and refuses those of another time', async () => {
        const late = created.parse(await agent.data('create_export', { event: market.event })).export;
        const error = errorOf(await pinned.call('get_export', { id: late.id }));
        assert.equal(error.code, 'as_of_fenced');
        const own = await pinned.data('create_export', { event: market.event });
        assert.equal(own['as_of'], asOf);
        const { id } = created.parse(own).export;
        assert.equal((await pinned.data('get_export', { id }))['as_of'], asOf);
      });
    });

    describe('an export', () => {
      it('spends a free credit only after a confirmation, and never buys', async () => {
        const free = await newVariables('free');
        const exportsOf = () =>
          new Almanac({ baseUrl: free.ALMANAC_BASE_URL, apiKey: free.ALMANAC_API_KEY }).exports.list().toArray();
        const own = await connectStdio(free);
        try {
          const quote = await own.data('quote_export', { event: market.event });
          assert.equal(z.object({ grant: z.string() }).parse(quote['quote']).grant, 'free_credit');
          const refused = errorOf(await own.call('create_export', { event: market.event }));
          assert.equal(refused.code, 'confirmation_required');
          assert.match(refused.remedy, /use_free_credit/);
          assert.equal((await exportsOf()).length, 0);
          const paid = await own.data('create_export', { event: market.event, use_free_credit: true });
          // The plan allows one pending export.
          await own.data('get_export', { id: created.parse(paid).export.id, wait_s: 30 });
          const unpaid = errorOf(await own.call('create_export', { event: market.ladderEvent, use_free_credit: true }));
          assert.equal(unpaid.code, 'payment_required');
          assert.ok(z.array(z.unknown()).parse(unpaid['options']).length > 0);
          assert.equal((await exportsOf()).length, 1);
        } finally {
          await own.close();
        }
      });

      it('has a link to the bytes of its SHA-256, and reports progress while it is prepared', async () => {
        const { id } = created.parse(
          await agent.data('create_export', { event: market.ladderEvent, format: 'csv' }),
        ).export;
        const shares: number[] = [];
        const result = await agent.call(
          'get_export',
          { id, wait_s: 30 },
          { onprogress: ({ progress }) => shares.push(progress) },
        );
        assert.ok(shares.every((share, at) => share <= 1 && share > (shares[at - 1] ?? -1)));
        const { uri = '' } = result.content.find(({ type }) => type === 'resource_link') ?? {};
        const bytes = new Uint8Array(await (await fetch(uri)).arrayBuffer());
        const { sha256 } = z.object({ sha256: z.string() }).parse(result.structuredContent?.['export']);
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
      });
    });
  });
};
