import { commerceRpc, keysRpc } from '@almanac/contracts';
import { z } from 'zod';
import { forwarding, type Route } from './route.js';

/** The caller's own plan and keys. */
export const accountRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/plan',
    given: {},
    contract: commerceRpc.plan,
    input: () => ({}),
  }),
  forwarding({
    method: 'get',
    path: '/keys',
    given: {},
    contract: keysRpc.list,
    input: () => ({}),
  }),
  forwarding({
    method: 'post',
    path: '/keys',
    given: { body: z.object({ name: z.string().min(1).max(80).default('default') }) },
    contract: keysRpc.create,
    input: ({ body }, { idempotencyKey }) => ({ name: body.name, idempotency_key: idempotencyKey }),
  }),
  forwarding({
    method: 'delete',
    path: '/keys/:key_id',
    given: { path: z.object({ key_id: z.string() }) },
    absence: 'key_not_found',
    contract: keysRpc.revoke,
    input: ({ path }) => path,
  }),
];
