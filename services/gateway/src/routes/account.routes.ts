import { apiKeyBody, commerceRpc, keysRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

/** The caller's own plan and keys. */
export const accountRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/plan',
    doc: {
      operationId: 'getPlan',
      tag: 'Account',
      summary: 'Show the plan',
      description: "The caller's plan, what it allows and what of it is taken, and the free export credit.",
    },
    given: {},
    contract: commerceRpc.plan,
    input: () => ({}),
  }),
  forwarding({
    method: 'get',
    path: '/keys',
    takesSession: true,
    doc: {
      operationId: 'listKeys',
      tag: 'Account',
      summary: 'List the API keys',
      description: "The caller's keys, newest first, without their secrets.",
    },
    given: {},
    contract: keysRpc.list,
    input: () => ({}),
  }),
  forwarding({
    method: 'post',
    path: '/keys',
    takesSession: true,
    doc: {
      operationId: 'createKey',
      tag: 'Account',
      summary: 'Create an API key',
      description: 'The secret is told in this answer and never again.',
    },
    given: { body: apiKeyBody },
    contract: keysRpc.create,
    input: ({ body }, { idempotencyKey }) => ({ name: body.name, idempotency_key: idempotencyKey }),
  }),
  forwarding({
    method: 'delete',
    path: '/keys/:key_id',
    takesSession: true,
    doc: {
      operationId: 'revokeKey',
      tag: 'Account',
      summary: 'Revoke an API key',
      description: 'The key is refused within a second. Revoking it again changes nothing.',
    },
    given: { path: keysRpc.revoke.input },
    contract: keysRpc.revoke,
    input: ({ path }) => path,
  }),
];
