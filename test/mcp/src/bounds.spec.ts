import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { type Agent, connectStdio, errorOf } from './connect.js';

const gaps = Array.from({ length: 50 }, (_, n) => ({
  start_ts: n,
  end_ts: n + 1,
  reason: 'generated',
  missing: 'all',
}));
const history = Array.from({ length: 30 }, (_, n) => ({ field: 'close_ts', value: n, known_ts: n, basis: 'venue' }));
const rules = { text: 'x'.repeat(5_000), valid_from_ts: 1, known_ts: 1, basis: 'venue' };

/** Answers of the API that the generated archive does not have. */
const answers: Readonly<Record<string, object>> = {
  '/api/v1/markets/LONG/preview': {
    pending: false,
    snapshots: [],
    coverage: { prints: 9, gaps, gaps_n: 50, gap_s: 50 },
  },
  '/api/v1/markets/LONG': { market: { ticker: 'LONG', status: 'closed', result: null }, rules, history },
  '/api/v1/search': { hits: [{ kind: 'market', id: 'LAST' }], has_more: true, next_offset: null },
};

describe('long answers of the API', () => {
  const stub = createServer(({ url = '' }, response) => {
    const found = answers[new URL(url, 'http://localhost').pathname];
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? {}));
  });
  let agent: Agent;
  before(async () => {
    await once(stub.listen(0, '127.0.0.1'), 'listening');
    const ALMANAC_BASE_URL = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
    agent = await connectStdio({ ALMANAC_BASE_URL, ALMANAC_API_KEY: 'ak' });
  });
  after(async () => {
    await agent.close();
    stub.close();
  });

  it('are cut to gaps by 20, and `next` leads to all of them once', async () => {
    const read: unknown[] = [];
    const part = z.object({ gaps: z.array(z.unknown()), next: z.record(z.string(), z.unknown()).nullable() });
    for (let args: Record<string, unknown> | null = { ticker: 'LONG' }; args !== null;) {
      const data: z.output<typeof part> = part.parse(await agent.data('coverage', args));
      assert.ok(data.gaps.length <= 20 && read.length < 100);
      read.push(...data.gaps);
      args = data.next;
    }
    assert.deepEqual(read, gaps);
  });

  it('are cut to the start of rules and history, and `next` has the whole', async () => {
    const part = z.object({
      rules: z.object({ text: z.string() }),
      history: z.array(z.unknown()),
      truncated: z.boolean(),
    });
    const cut = await agent.data('get_market', { ticker: 'LONG' });
    const { rules: start, history: first, truncated } = part.parse(cut);
    assert.deepEqual([start.text.length, first.length, truncated], [1_000, 10, true]);
    assert.deepEqual(cut['next'], { ticker: 'LONG', full: true });
    const whole = part.parse(await agent.data('get_market', { ticker: 'LONG', full: true }));
    assert.deepEqual([whole.rules.text, whole.history, whole.truncated], [rules.text, history, false]);
  });

  it('are an error where no call goes on', async () => {
    const error = errorOf(await agent.call('search', { q: 'x', offset: 9_999 }));
    assert.equal(error.code, 'result_too_large');
    assert.match(error.remedy, /Narrow the filters/);
  });
});
