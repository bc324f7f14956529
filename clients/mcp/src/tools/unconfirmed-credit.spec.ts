import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectAgent, errorOf, reply, type Reply, stubApi } from '../testing/agent.js';

/** The error of `create_export` whose quote is covered by the plan, which ends before. And the last call at the API. */
const createAt = async (cancelled: Reply) => {
  const replies: Readonly<Record<string, Reply>> = {
    'POST /api/v1/exports?dry_run=true': {
      status: 200,
      body: { would: null, grant: 'plan', options: [], remarks: [] },
    },
    'POST /api/v1/exports': { status: 200, body: { id: 'e-1', status: 'pending', grant: 'free_credit' } },
    'DELETE /api/v1/exports/e-1': cancelled,
  };
  const api = await stubApi((call, response) => reply(response, replies[call] ?? { status: 404, body: {} }));
  const agent = await connectAgent(api.url);
  try {
    const { code, detail, ...rest } = await errorOf(agent, 'create_export', { event: 'EV' });
    return { code, detail, id: rest['id'], last: api.calls.at(-1) };
  } finally {
    await agent.close();
    await api.close();
  }
};

describe('a plan that ends between the quote and the export', () => {
  const cancel = 'DELETE /api/v1/exports/e-1';

  it('uses no credit without a confirmation: the export is cancelled', async () => {
    const { code, last } = await createAt({ status: 200, body: { id: 'e-1', status: 'cancelled' } });
    assert.deepEqual([code, last], ['confirmation_required', cancel]);
  });

  it('is reported if the file was ready before the export could be cancelled', async () => {
    const body = { code: 'export_ended', detail: 'This export is already ready.', request_id: 'r' };
    const { code, id, last } = await createAt({ status: 409, body });
    assert.deepEqual([code, id, last], ['free_credit_used', 'e-1', cancel]);
  });

  it('is reported, with the export and the reason, if the export could not be cancelled', async () => {
    const body = { code: 'forbidden', detail: 'This key may only read.', request_id: 'r' };
    const { code, id, detail } = await createAt({ status: 403, body });
    assert.deepEqual([code, id], ['free_credit_used', 'e-1']);
    assert.match(detail, /It is not cancelled: This key may only read\.$/);
  });
});
