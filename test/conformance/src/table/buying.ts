import { bodyCase, type BodyRows, extra, fieldCases, noBodies, words } from '../bodies.js';
import { type Expected, long } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const add: BodyRows = { method: 'POST', path: '/cart/event-exports' };
const upgrade: BodyRows = { method: 'POST', path: '/billing/upgrade' };
const event = 'CF-TICKS-E';
const unknown: Expected = { status: 404, code: 'event_not_found' };
const taken: Expected = { status: 200 };
const lower: Expected = { status: 400, code: 'not_an_upgrade' };
const tiers = words.none("'pro' or 'full_book'");

/** The internal account buys nothing: no plan is above its own. */
export const buyingTable: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/cart/event-exports',
    good: '/cart/event-exports',
    deadlineMs: 5_000,
    cases: [
      ...noBodies(add, { body: JSON.stringify({ event }), expected: taken }),
      ...fieldCases(add, { name: 'event' }, [
        ...[null, 5, true, [event], {}].map((value) => [value, words.noText] as const),
        ['', words.shorter(1)],
        ['x'.repeat(121), words.longer(120)],
        ['💥'.repeat(121), words.longer(120)],
        [long, words.longer(120)],
        ...['NO-SUCH', ' ', 'x'.repeat(120), '💥'.repeat(120), '日本語', 'a\0b', '*', '>'].map(
          (value) => [value, unknown] as const,
        ),
        [event, taken],
      ]),
      bodyCase(add, 'event left out', {
        body: '{}',
        expected: { items: [{ type: 'missing', msg: 'Field required', loc: ['body', 'event'], input: {} }] },
      }),
      bodyCase(add, 'unknown fields', {
        body: JSON.stringify({ nonsense: 'x', event }),
        expected: { items: [extra(['body', 'nonsense'], 'x', ['event'])] },
      }),
    ],
  },
  {
    method: 'DELETE',
    path: '/cart/event-exports/{event_id}',
    good: `/cart/event-exports/${event}`,
    deadlineMs: 5_000,
    // Removing an event that is not in the cart, or invalid, is no error.
    cases: ['NO-SUCH', '%20', '%00', '*', '%3E', '%F0%9F%92%A5'.repeat(50), 'x'.repeat(5_000)].map((id) => ({
      name: `id ${id.slice(0, 20)}`,
      request: { method: 'DELETE', path: `/cart/event-exports/${id}` },
      expected: taken,
    })),
  },
  {
    method: 'POST',
    path: '/cart/checkout',
    good: '/cart/checkout',
    deadlineMs: 15_000,
    cases: [
      {
        name: 'an empty cart',
        request: { method: 'POST', path: '/cart/checkout', who: 'idle' },
        expected: { status: 400, code: 'cart_empty' },
      },
      {
        name: 'a body with a field',
        request: { method: 'POST', path: '/cart/checkout', who: 'idle', body: '{"nonsense":"x"}' },
        expected: { items: [extra(['body', 'nonsense'], 'x', [])] },
      },
    ],
  },
  {
    method: 'POST',
    path: '/billing/upgrade',
    good: '/billing/upgrade',
    deadlineMs: 15_000,
    cases: [
      ...noBodies(upgrade, { body: '{"tier_id":"pro"}', expected: lower }),
      ...fieldCases(upgrade, { name: 'tier_id' }, [
        ...['free', 'internal', '', 'PRO', ' pro', 'pro\0', '💥', long].map((value) => [value, tiers] as const),
        ...[null, 5, true, ['pro'], {}].map((value) => [value, tiers] as const),
        ['pro', lower],
        ['full_book', lower],
      ]),
      bodyCase(upgrade, 'unknown fields', {
        body: '{"tier_id":"pro","nonsense":"x"}',
        expected: { items: [extra(['body', 'nonsense'], 'x', ['tier_id'])] },
      }),
      bodyCase(upgrade, 'tier_id left out', {
        body: '{}',
        expected: { items: [{ type: 'missing', msg: 'Field required', loc: ['body', 'tier_id'], input: {} }] },
      }),
    ],
  },
  {
    method: 'POST',
    path: '/billing/portal',
    good: '/billing/portal',
    deadlineMs: 15_000,
    cases: [{ name: 'without a body', request: { method: 'POST', path: '/billing/portal' }, expected: taken }],
  },
];
