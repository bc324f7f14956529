import type { Fixed } from './fixed.js';

const tooMany = { status: 429, code: 'rate_limited' } as const;
const hurried = { who: 'hurried' } as const;
/** A million a minute is what the plans of this world allow: no run asks so much, and a lease is a sixtieth. */
const plenty = { 'ratelimit-limit': '1000000' };
const body = '{"format":"x"}';

/** The limit of requests: `hurried` may send none, the others more than they do, `internal` as many as it likes. */
export const limits: readonly Fixed[] = [
  { name: '429 before 422', ask: { path: '/search?limit=0', ...hurried }, expected: tooMany },
  {
    name: '429 before 400',
    ask: { path: '/markets/CF-TICKS-1/snapshots?start_ts=2&end_ts=1', ...hurried },
    expected: tooMany,
  },
  { name: '429 before 404', ask: { path: '/markets/NO-SUCH', ...hurried }, expected: tooMany },
  { name: '429 before 422 of a body', ask: { method: 'POST', path: '/exports', body, ...hurried }, expected: tooMany },
  {
    name: 'a refusal tells the limit and that nothing is left',
    ask: { path: '/plan', ...hurried },
    expected: tooMany,
    headers: { 'ratelimit-limit': '0', 'ratelimit-remaining': '0' },
  },
  {
    name: '404 of a path that is none before 429',
    ask: { path: '/nothing', ...hurried },
    expected: { status: 404, code: 'not_found' },
  },
  {
    name: '405 before 429',
    ask: { method: 'PUT', path: '/plan', ...hurried },
    expected: { status: 405, code: 'method_not_allowed' },
  },
  { name: 'told with a success', ask: { path: '/plan', who: 'spent' }, expected: { status: 200 }, headers: plenty },
  {
    name: 'told with the formats',
    ask: { path: '/exports/formats', who: 'idle' },
    expected: { status: 200 },
    headers: plenty,
  },
  {
    name: 'told with 404',
    ask: { path: '/markets/NO-SUCH', who: 'spent' },
    expected: { status: 404, code: 'market_not_found' },
    headers: plenty,
  },
  {
    name: 'told with a refusal of the plan',
    ask: { method: 'POST', path: '/keys', body: '{"name":"one more"}', who: 'crowded' },
    expected: { status: 403, code: 'key_limit_reached' },
    headers: plenty,
  },
  {
    name: 'not told where the plan has none',
    ask: { path: '/plan' },
    expected: { status: 200 },
    headers: { 'ratelimit-limit': undefined },
  },
  {
    name: 'not told to a stranger',
    ask: { path: '/plan', who: 'stranger' },
    expected: { status: 401, code: 'unauthenticated' },
    headers: { 'ratelimit-limit': undefined },
  },
];
