import { asOfField } from '../as-of.js';
import { bodyCase, type BodyRows, fieldCases, noBodies, words } from '../bodies.js';
import { cursor } from '../cursors.js';
import { type Expected, long } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const keys: BodyRows = { method: 'POST', path: '/keys' };
const named = (value: string): Expected => ({ status: 200, shows: (body) => body['name'], value });

export const accountTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/keys',
    good: '/keys',
    deadlineMs: 5_000,
    query: [cursor('cursor', { path: '/keys', shows: ({ has_more }) => has_more, all: false })],
  },
  {
    method: 'POST',
    path: '/keys',
    good: '/keys',
    deadlineMs: 5_000,
    cases: [
      ...noBodies(keys, { body: '{"name":"good"}', expected: named('good') }),
      ...fieldCases(keys, { name: 'name' }, [
        ...[null, 5, true, ['x'], {}].map((value) => [value, words.noText] as const),
        ['', words.shorter(1)],
        ['x'.repeat(81), words.longer(80)],
        ['💥'.repeat(81), words.longer(80)],
        [long, words.longer(80)],
        ...['x', ' ', 'x'.repeat(80), '💥'.repeat(80), '日本語', 'a\0b'].map((value) => [value, named(value)] as const),
      ]),
      ...asOfField(keys, {}),
      bodyCase(keys, 'name left out', { body: '{}', expected: named('default') }),
      bodyCase(keys, 'unknown fields', { body: '{"nonsense":1,"__proto__":{"name":5}}', expected: named('default') }),
      bodyCase(keys, 'a field twice', { body: '{"name":5,"name":"last"}', expected: named('last') }),
    ],
  },
  {
    method: 'DELETE',
    path: '/keys/{key_id}',
    good: '/keys/{key_id}',
    deadlineMs: 5_000,
    id: { path: '/keys/{}', method: 'DELETE', known: '{key_id}', absence: 'key_not_found' },
  },
];
