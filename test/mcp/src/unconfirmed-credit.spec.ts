import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { connectStdio, errorOf } from './connect.js';

interface Reply {
  readonly status: number;
  readonly body: object;
}

/** An API whose quote is covered by the plan, which ends before the export is created. */
const apiOf = async (cancelled: Reply) => {
  const calls: string[] = [];
  const replies: Readonly<Record<string, Reply>> = {
    'POST /api/v1/exports?dry_run=true': {
      status: 200,
      body: { would: null, grant: 'plan', options: [], remarks: [] },
    },
    'POST /api/v1/exports': { status: 200, body: { id: 'e-1', status: 'pending', grant: 'free_credit' } },
    'DELETE /api/v1/exports/e-1': cancelled,
  };
  const server = createServer(({ method, url }, response) => {
    const call = `${method} ${url}`;
    calls.push(call);
    const { status, body } = replies[call] ?? { status: 404, body: {} };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, close };
};

/** The error of `create_export`, and the last call at the API. */
const createAt = async (cancelled: Reply) => {
  const api = await apiOf(cancelled);
  const agent = await connectStdio({ ALMANAC_BASE_URL: api.url, ALMANAC_API_KEY: 'ak_live_test' });
  try {
    const { code, detail, id } = errorOf(await agent.call('create_export', { event: 'EV' }));
    return { code, detail, id, last: api.calls.at(-1) };
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
