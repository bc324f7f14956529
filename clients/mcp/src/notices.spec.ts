import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectAgent, errorOf, reply, stubApi } from './testing/agent.js';

const notice = (code: string, detail: string) => ({ code, detail, loc: null, nearest: null });
const empty = 'No observation is stored in this window. The first one after is at 10:00Z, 4 h later.';

describe('a tool', () => {
  it('passes on the notices of each request, once, but not that a window was cut', async () => {
    const notices = [notice('window_clamped', 'Send next_start_ts.'), notice('window_empty', empty)];
    const coverage = { prints: 0, gaps: [], spans: [], gaps_n: 0, first_print_ts: null, last_print_ts: null };
    const api = await stubApi((call, response) => {
      const candles = { candles: [], gaps: [], period_s: 60, has_more: false, next_start_ts: null };
      const preview = { pending: false, coverage, snapshots: [] };
      reply(response, { status: 200, body: { ...(call.includes('preview') ? preview : candles), notices } });
    });
    const agent = await connectAgent(api.url);
    try {
      const { content } = await agent.callTool({ name: 'get_candles', arguments: { ticker: 'T' } });
      assert.ok(Array.isArray(content));
      const [text] = content as readonly { readonly text: string }[];
      assert.equal(text?.text, `0 candles of 60 s of T. ${empty}`);
    } finally {
      await agent.close();
      await api.close();
    }
  });

  it('names tools in its errors, with the arguments that it has', async () => {
    const body = { code: 'market_not_found', detail: 'No market T. Search with GET /api/v1/search.', request_id: 'r' };
    const api = await stubApi((_call, response) => reply(response, { status: 404, body }));
    const agent = await connectAgent(api.url);
    try {
      const error = await errorOf(agent, 'get_market', { ticker: 'T' });
      assert.equal(error.detail, 'No market T.');
      assert.doesNotMatch(error.remedy, /\/api\/v1/);
      assert.deepEqual(error['valid_keys'], ['ticker', 'full']);
      const wrong = await errorOf(agent, 'get_market', { tickr: 'T' });
      assert.deepEqual([wrong.code, wrong['valid_keys']], ['invalid_arguments', ['ticker', 'full']]);
    } finally {
      await agent.close();
      await api.close();
    }
  });
});
