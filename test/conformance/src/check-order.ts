import { words } from './bodies.js';
import type { Fixed } from './fixed-cases.js';
import { type Expected, long } from './parameters.js';
import type { CaseRequest } from './harness.js';

const code = (status: number, name: string): Expected => ({ status, code: name });
const limitAt0 = (path: string): Fixed => ({
  name: `422 before 404: ${path.slice(0, 60)}`,
  request: { path: `${path}?limit=0` },
  expected: {
    items: [
      {
        type: 'greater_than_equal',
        loc: ['query', 'limit'],
        msg: 'Input should be greater than or equal to 1',
        input: '0',
        ctx: { ge: 1 },
      },
    ],
  },
});
const post = (path: string, body: object, more: Partial<CaseRequest> = {}): CaseRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
  ...more,
});
const badFormat = {
  items: [
    {
      ...words.none("'csv', 'parquet', 'json', 'jsonl.gz', 'hftbacktest' or 'tardis_csv'"),
      loc: ['body', 'format'],
      input: 'x',
    },
  ],
};
const badName = { items: [{ ...words.shorter(1), loc: ['body', 'name'], input: '' }] };
const noCursor: Expected = {
  items: [
    {
      type: 'value_error',
      loc: ['query', 'cursor'],
      msg: 'Value error, not a cursor that this listing gave',
      input: 'x',
      ctx: { error: {} },
    },
  ],
};
const event = 'CF-TICKS-E';

/**
 * Requests with two faults, where the answer reports the first in the specification's order. `spent` has no credit
 * left, `idle` may have no pending export, and `crowded` has all the keys that its plan allows.
 */
export const order: readonly Fixed[] = [
  ...['/search?limit=0', '/markets/NO-SUCH', `/series/${long}`, '/markets/%00/snapshots'].map((path) => ({
    name: `401 before all else: ${path.slice(0, 60)}`,
    request: { path, who: 'stranger' as const },
    expected: code(401, 'unauthenticated'),
  })),
  {
    name: '401 before an invalid body',
    request: { method: 'POST', path: '/exports', body: '{', who: 'stranger' },
    expected: code(401, 'unauthenticated'),
  },
  ...['/markets/NO-SUCH/snapshots', '/series/NO-SUCH', '/events/NO-SUCH', `/events/${long}`, '/series/%00'].map(
    limitAt0,
  ),
  {
    name: '422 before 400: a bad limit and a reversed window',
    request: { path: '/markets/CF-TICKS-1/snapshots?start_ts=2&end_ts=1&limit=0' },
    expected: limitAt0('').expected,
  },
  {
    name: '400 before 404: a reversed window of an unknown market',
    request: { path: '/markets/NO-SUCH/snapshots?start_ts=2&end_ts=1' },
    expected: code(400, 'invalid_window'),
  },
  ...[long, '%00', '%F0%9F%92%A5'.repeat(100)].flatMap((id): Fixed[] => [
    {
      name: `400 before 404: a reversed window of an invalid ticker, ${id.slice(0, 20)}`,
      request: { path: `/markets/${id}/snapshots?start_ts=2&end_ts=1` },
      expected: code(400, 'invalid_window'),
    },
    {
      name: `422 before 404: an invalid cursor of an invalid event, ${id.slice(0, 20)}`,
      request: { path: `/events/${id}?cursor=x` },
      expected: noCursor,
    },
  ]),
  {
    name: '422 before 400: a bad format and no target',
    request: post('/exports', { format: 'x' }),
    expected: badFormat,
  },
  {
    name: '422 before 404: a bad format and an unknown event',
    request: post('/exports', { format: 'x', event: 'NO-SUCH' }),
    expected: badFormat,
  },
  {
    name: '400 before 404: two unknown targets',
    request: post('/exports', { event: 'NO-SUCH', ticker: 'NO-SUCH' }),
    expected: code(400, 'ambiguous_target'),
  },
  {
    name: '402 when nothing covers the export',
    request: post('/exports', { event: 'CF-BIG-LADDER' }, { who: 'spent' }),
    expected: code(402, 'payment_required'),
  },
  {
    name: '422 before 402',
    request: post('/exports', { event: 'CF-BIG-LADDER', format: 'x' }, { who: 'spent' }),
    expected: badFormat,
  },
  {
    name: '404 before 402',
    request: post('/exports', { event: 'NO-SUCH' }, { who: 'spent' }),
    expected: code(404, 'event_not_found'),
  },
  {
    name: '429 of the plan limit before 402',
    request: post('/exports', { event, streams: ['l2'] }, { who: 'idle' }),
    expected: code(429, 'export_pending_limit'),
  },
  {
    name: '404 before 429 of the plan limit',
    request: post('/exports', { ticker: 'NO-SUCH' }, { who: 'idle' }),
    expected: code(404, 'market_not_found'),
  },
  {
    name: '422 before 429 of the plan limit',
    request: post('/exports', { event, format: 'x' }, { who: 'idle' }),
    expected: badFormat,
  },
  {
    name: '403 at the limit of keys',
    request: post('/keys', { name: 'one more' }, { who: 'crowded' }),
    expected: code(403, 'key_limit_reached'),
  },
  { name: '422 before 403', request: post('/keys', { name: '' }, { who: 'crowded' }), expected: badName },
  {
    name: '401 before 403',
    request: post('/keys', { name: 'one more' }, { who: 'stranger' }),
    expected: code(401, 'unauthenticated'),
  },
];

const once = { headers: { 'idempotency-key': 'order' } };

/** In this order: the first answer under an Idempotency-Key is repeated before any look-up. */
export const replays: readonly Fixed[] = [
  { name: 'the first request', request: post('/exports', { event }, once), expected: { status: 200 } },
  { name: 'the same request again', request: post('/exports', { event }, once), expected: { status: 200 } },
  {
    name: '409 before 404: another body with an unknown event',
    request: post('/exports', { event: 'NO-SUCH' }, once),
    expected: code(409, 'idempotency_conflict'),
  },
  {
    name: '400 before 409: another body, without a target',
    request: post('/exports', {}, once),
    expected: code(400, 'missing_target'),
  },
  {
    name: '422 before 409: another body, with a bad format',
    request: post('/exports', { format: 'x' }, once),
    expected: badFormat,
  },
];

/** Resources of another account answer like unknown ones. */
export const others: readonly Fixed[] = [
  ...['/exports/{export_id}', '/exports/{export_id}/events', '/exports/{ready_export_id}/file'].map((path) => ({
    name: `another account's ${path}`,
    request: { path, who: 'crowded' as const },
    expected: code(404, 'export_not_found'),
  })),
  {
    name: "another account's export, to be cancelled",
    request: { method: 'DELETE', path: '/exports/{export_id}', who: 'crowded' },
    expected: code(404, 'export_not_found'),
  },
  {
    name: "another account's key",
    request: { method: 'DELETE', path: '/keys/{key_id}', who: 'crowded' },
    expected: code(404, 'key_not_found'),
  },
];
