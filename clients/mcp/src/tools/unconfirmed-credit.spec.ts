import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectAgent, errorOf, reply, type Reply, stubApi } from '../testing/agent.js';

describe('a plan that ends between the quote and the export', () => {
  it('uses no credit without a confirmation: the request refuses it', async () => {
    const bodies: unknown[] = [];
    const refusal = { code: 'payment_required', detail: 'Your plan does not cover this export.', request_id: 'r' };
    const replies: Readonly<Record<string, Reply>> = {
      'POST /api/v1/exports?dry_run=true': {
        status: 200,
        body: { would: null, grant: 'plan', options: [], remarks: [] },
      },
      'POST /api/v1/exports': { status: 402, body: refusal },
    };
    const api = await stubApi((call, response, _headers, body) => {
      if (call === 'POST /api/v1/exports') bodies.push(JSON.parse(body));
      reply(response, replies[call] ?? { status: 404, body: {} });
    });
    const agent = await connectAgent(api.url);
    try {
      const { code } = await errorOf(agent, 'create_export', { event: 'EV' });
      assert.deepEqual(
        [code, bodies],
        ['payment_required', [{ event: 'EV', format: 'parquet', use_free_credit: false }]],
      );
    } finally {
      await agent.close();
      await api.close();
    }
  });
});
