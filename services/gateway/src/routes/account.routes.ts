import { randomBytes } from 'node:crypto';
import { apiKeyBody, commerceRpc, keysRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

export const accountRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/plan',
    doc: {
      operationId: 'getPlan',
      tag: 'Account',
      summary: 'Get the plan',
      description:
        'Returns the plan of the account, its limits, the current usage and the free export credit. `plans` has the price and the limits of every plan.',
    },
    given: {},
    contract: commerceRpc.plan,
    input: () => ({}),
    showsNoArchive: true,
  }),
  forwarding({
    method: 'get',
    path: '/keys',
    doc: {
      operationId: 'listKeys',
      tag: 'Account',
      summary: 'List API keys',
      description: 'Returns the API keys of the account, newest first, without their secrets.',
    },
    given: { query: keysRpc.list.input },
    contract: keysRpc.list,
    input: ({ query }) => query,
    showsNoArchive: true,
  }),
  forwarding({
    method: 'post',
    path: '/keys',
    doc: {
      operationId: 'createKey',
      tag: 'Account',
      summary: 'Create an API key',
      description:
        'The answer is the only one that shows the secret. Store it safely.\n\nA key with `as_of` reads the archive as of that time: for an agent or a colleague who must not look ahead. A later `as_of` is 403 `as_of_fenced`, and so is an endpoint that cannot answer as of a time. Keys made with such a key have its `as_of` or an earlier one.',
    },
    given: { body: apiKeyBody },
    contract: keysRpc.create,
    input: ({ body }, { idempotencyKey }) => ({
      ...body,
      idempotency_key: idempotencyKey,
      seed: randomBytes(32).toString('hex'),
    }),
  }),
  forwarding({
    method: 'delete',
    path: '/keys/:key_id',
    doc: {
      operationId: 'revokeKey',
      tag: 'Account',
      summary: 'Revoke an API key',
      description: 'The server stops accepting the key within two seconds. Revoking a revoked key changes nothing.',
    },
    given: { path: keysRpc.revoke.input },
    contract: keysRpc.revoke,
    input: ({ path }) => path,
  }),
];
