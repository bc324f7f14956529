import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { almanacServer } from './server.js';
import { busyReply, connectAgent, errorOf, reply, stubApi } from './testing/agent.js';

it('the request to the API ends when the agent cancels its call', async () => {
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<ServerResponse>();
  const refusal = { status: 401, body: { code: 'unauthenticated', detail: 'x', request_id: 'r' } };
  const api = await stubApi((_, response) => {
    if (api.calls.length === 1) arrived(response);
    else reply(response, api.calls.length === 2 ? busyReply : refusal);
  });
  const agent = await connectAgent(api.url);
  try {
    const controller = new AbortController();
    const cancelled = agent.callTool({ name: 'search', arguments: { q: 'x' } }, { signal: controller.signal });
    const ended = once(await arrival, 'close');
    controller.abort(new Error('the user stopped it'));
    await assert.rejects(cancelled);
    await ended;
    assert.equal((await errorOf(agent, 'search', { q: 'x' })).code, 'unauthenticated');
    // Had it ended by its own timeout, it would have been tried again meanwhile.
    assert.equal(api.calls.length, 3);
  } finally {
    await agent.close();
    await api.close();
  }
});

it('a key or an address that cannot work ends the start', () => {
  const log = (): void => undefined;
  const given = { baseUrl: 'http://127.0.0.1:9', apiKey: 'ak', asOf: undefined, log };
  assert.throws(() => almanacServer({ ...given, baseUrl: 'nowhere' }), /invalid_options/);
  assert.throws(() => almanacServer({ ...given, apiKey: ' ' }), /invalid_options/);
});
