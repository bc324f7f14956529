import type { Fixed } from './fixed-cases.js';

const tooMany = { status: 429, code: 'rate_limited' } as const;
const rateLimited = { who: 'hurried' } as const;
/** The plans of this fixture allow a million requests a minute: no run sends that many, and a lease is a sixtieth. */
const plenty = { 'ratelimit-limit': '1000000' };
const body = '{"format":"x"}';

/** The rate limit: `rateLimited` may send none, the others more than they do, and `internal` any number. */
export const limits: readonly Fixed[] = [
  { name: '429 before 422', request: { path: '/search?limit=0', ...rateLimited }, expected: tooMany },
  {
    name: '429 before 400',
    request: { path: '/markets/CF-TICKS-1/snapshots?start_ts=2&end_ts=1', ...rateLimited },
    expected: tooMany,
  },
  { name: '429 before 404', request: { path: '/markets/NO-SUCH', ...rateLimited }, expected: tooMany },
  {
    name: '429 before 422 of a body',
    request: { method: 'POST', path: '/exports', body, ...rateLimited },
    expected: tooMany,
  },
  {
    name: 'a refusal has the limit and no remaining requests',
    request: { path: '/plan', ...rateLimited },
    expected: tooMany,
    headers: { 'ratelimit-limit': '0', 'ratelimit-remaining': '0' },
  },
  {
    name: '404 of an unknown path before 429',
    request: { path: '/nothing', ...rateLimited },
    expected: { status: 404, code: 'not_found' },
  },
  {
    name: '405 before 429',
    request: { method: 'PUT', path: '/plan', ...rateLimited },
    expected: { status: 405, code: 'method_not_allowed' },
  },
  {
    name: 'the headers are in a success',
    request: { path: '/plan', who: 'spent' },
    expected: { status: 200 },
    headers: plenty,
  },
  {
    name: 'the headers are in the formats',
    request: { path: '/exports/formats', who: 'idle' },
    expected: { status: 200 },
    headers: plenty,
  },
  {
    name: 'the headers are in a 404',
    request: { path: '/markets/NO-SUCH', who: 'spent' },
    expected: { status: 404, code: 'market_not_found' },
    headers: plenty,
  },
  {
    name: 'the headers are in a refusal by the plan',
    request: { method: 'POST', path: '/keys', body: '{"name":"one more"}', who: 'crowded' },
    expected: { status: 403, code: 'key_limit_reached' },
    headers: plenty,
  },
  {
    name: 'no headers on a plan without a limit',
    request: { path: '/plan' },
    expected: { status: 200 },
    headers: { 'ratelimit-limit': undefined },
  },
  {
    name: 'no headers without a key',
    request: { path: '/plan', who: 'stranger' },
    expected: { status: 401, code: 'unauthenticated' },
    headers: { 'ratelimit-limit': undefined },
  },
];
