import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { connectAgent, dataOf, errorOf, reply, type StubApi, stubApi } from '../testing/agent.js';

const gaps = Array.from({ length: 50 }, (_, n) => ({
  start_ts: n,
  end_ts: n + 1,
  reason: 'generated',
  missing: 'all',
}));
const history = Array.from({ length: 30 }, (_, n) => ({ field: 'close_ts', value: n, known_ts: n, basis: 'venue' }));
const rules = { text: 'x'.repeat(5_000), valid_from_ts: 1, known_ts: 1, basis: 'venue' };

const quality = (more: object) => ({
  markets_n: 2,
  markets_with_gaps_n: 2,
  from: 'f',
  to: 't',
  markets: [],
  periods: [],
  ...more,
});

const answers: Readonly<Record<string, object>> = {
  'GET /api/v1/markets/LONG/preview': {
    pending: false,
    snapshots: [],
    coverage: { prints: 9, gaps, spans: [], gaps_n: 50, gap_s: 50 },
  },
  'GET /api/v1/quality?venue=kalshi&from=2026-02-24&has_gaps=true&limit=1&by=market': quality({
    markets: [{ ticker: 'LONG', title: 'T', event_ticker: 'E', gaps_n: 50, gaps }],
    has_more: true,
    next_cursor: 'c2',
  }),
  'GET /api/v1/quality?series=S&limit=20&by=day': quality({
    periods: [{ start_ts: 1 }],
    has_more: false,
    next_cursor: null,
  }),
  'GET /api/v1/markets/LONG': { market: { ticker: 'LONG', status: 'closed', result: null }, rules, history },
  'GET /api/v1/search': { hits: [{ kind: 'market', id: 'LAST' }], has_more: true, next_offset: null },
};

describe('long answers of the API', () => {
  let api: StubApi;
  let agent: Client;
  before(async () => {
    api = await stubApi((call, response) => {
      const body = answers[call] ?? answers[call.split('?')[0] ?? ''];
      reply(response, { status: body === undefined ? 404 : 200, body: body ?? {} });
    });
    agent = await connectAgent(api.url);
  });
  after(async () => {
    await agent.close();
    await api.close();
  });

  it('are cut to gaps by 20, and `next` leads to all of them once', async () => {
    const read: unknown[] = [];
    const part = z.object({ items: z.array(z.unknown()), next: z.record(z.string(), z.unknown()).nullable() });
    for (let args: Record<string, unknown> | null = { ticker: 'LONG' }; args !== null;) {
      const data: z.output<typeof part> = part.parse(await dataOf(agent, 'coverage', args));
      assert.ok(data.items.length <= 20 && read.length < 100);
      read.push(...data.items);
      args = data.next;
    }
    assert.deepEqual(read, gaps);
  });

  it('are pages of the markets of a target, worst first, with its first gaps', async () => {
    const data = await dataOf(agent, 'coverage', { venue: 'kalshi', from: '2026-02-24', has_gaps: true, limit: 1 });
    assert.partialDeepStrictEqual(data, {
      truncated: true,
      next: { venue: 'kalshi', from: '2026-02-24', has_gaps: true, limit: 1, cursor: 'c2' },
      coverage: { markets_n: 2, markets_with_gaps_n: 2 },
      items: [{ ticker: 'LONG', gaps_n: 50, gaps: gaps.slice(0, 5) }],
    });
    const days = await dataOf(agent, 'coverage', { series: 'S', by: 'day' });
    assert.deepEqual([days['items'], days['next']], [[{ start_ts: 1 }], null]);
    for (const args of [{}, { ticker: 'LONG', series: 'S' }]) {
      assert.match((await errorOf(agent, 'coverage', args)).remedy, /one of ticker, series, event, category and venue/);
    }
    assert.equal((await errorOf(agent, 'coverage', { ticker: 'LONG', cursor: 'c2' })).code, 'invalid_arguments');
  });

  it('are cut to the start of rules and history, and `next` has the whole', async () => {
    const part = z.object({
      rules: z.object({ text: z.string() }),
      history: z.array(z.unknown()),
      truncated: z.boolean(),
    });
    const cut = await dataOf(agent, 'get_market', { ticker: 'LONG' });
    const { rules: start, history: first, truncated } = part.parse(cut);
    assert.deepEqual([start.text.length, first.length, truncated], [1_000, 10, true]);
    assert.deepEqual(cut['next'], { ticker: 'LONG', full: true });
    const whole = part.parse(await dataOf(agent, 'get_market', { ticker: 'LONG', full: true }));
    assert.deepEqual([whole.rules.text, whole.history, whole.truncated], [rules.text, history, false]);
  });

  it('are an error where no call goes on', async () => {
    const error = await errorOf(agent, 'search', { q: 'x', offset: 9_999 });
    assert.equal(error.code, 'result_too_large');
    assert.match(error.remedy, /Narrow the filters/);
  });
});
