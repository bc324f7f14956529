import { bodyCase, type BodyRows, fieldCases, noBodies, words } from '../bodies.js';
import { cursor } from '../cursors.js';
import { type Expected, integer, long } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const create: BodyRows = { method: 'POST', path: '/webhooks' };
const url = 'https://receiver.invalid/';
const good = { url, events: ['export.ready'] };
/** Its cases leave webhooks behind, so the account with the most of them is full at some time. */
const refused: Expected = { status: 400, code: 'invalid_input' };
const deliveries = '/webhooks/{webhook_id}/deliveries';
const absence = 'webhook_not_found';
const shows = (field: string) => (body: Readonly<Record<string, unknown>>) => body[field];
const created = (field: string, value: unknown): Expected => ({ status: 200, shows: shows(field), value });

const act = (name: 'rotate' | 'enable' | 'test'): Endpoint => ({
  method: 'POST',
  path: `/webhooks/{webhook_id}/${name}`,
  good: `/webhooks/{webhook_id}/${name}`,
  deadlineMs: 5_000,
  id: { path: `/webhooks/{}/${name}`, method: 'POST', known: '{webhook_id}', absence },
});

export const webhooksTable: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/webhooks',
    good: '/webhooks',
    deadlineMs: 5_000,
    cases: [
      ...noBodies(create, { body: JSON.stringify({ ...good, url: 'http://x' }), expected: refused }),
      ...fieldCases(create, { name: 'url', otherFields: { events: ['export.ready'] } }, [
        ...[null, 5, true, ['x'], {}].map((value) => [value, words.noText] as const),
        ['', words.shorter(1)],
        [`https://x.example/${'x'.repeat(483)}`, words.longer(500)],
        [long, words.longer(500)],
        ...[
          'x',
          'http://receiver.invalid/',
          'ftp://receiver.invalid/',
          'https://user:pass@receiver.invalid/',
          'https://127.0.0.1/',
          'https://[::1]/',
          'https://[::ffff:10.0.0.1]/',
          'https://169.254.169.254/latest/meta-data',
          'https://10.1.2.3/',
          'https://0x7f000001/',
          'https://2130706433/',
          'https://localhost/',
          'https://metadata.google.internal/',
        ].map((value) => [value, refused] as const),
        [url, created('url', url)],
      ]),
      ...fieldCases(create, { name: 'events', otherFields: { url } }, [
        ...[null, 5, 'export.ready', {}].map((value) => [value, words.noList] as const),
        [['market.settled'], refused],
        [['export.ready', 'export.failed'], created('events', ['export.ready', 'export.failed'])],
      ]),
      ...fieldCases(create, { name: 'description', otherFields: good }, [
        ...[null, 5, ['x']].map((value) => [value, words.noText] as const),
        ['x'.repeat(81), words.longer(80)],
        ['日本語', created('description', '日本語')],
      ]),
      bodyCase(create, 'url left out', {
        body: '{"events":["export.ready"]}',
        expected: {
          items: [
            { type: 'missing', msg: 'Field required', loc: ['body', 'url'], input: { events: ['export.ready'] } },
          ],
        },
      }),
      bodyCase(create, 'markets by ticker and series', {
        body: JSON.stringify({ url, events: ['market.settled'], tickers: ['CF-TICKS-1'], series: ['CF-TICKS'] }),
        expected: created('tickers', ['CF-TICKS-1']),
      }),
    ],
  },
  {
    method: 'GET',
    path: '/webhooks/{webhook_id}',
    good: '/webhooks/{webhook_id}',
    deadlineMs: 5_000,
    id: { path: '/webhooks/{}', known: '{webhook_id}', absence },
  },
  {
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    good: '/webhooks/{deleted_webhook_id}',
    deadlineMs: 5_000,
    id: { path: '/webhooks/{}', method: 'DELETE', known: '{deleted_webhook_id}', absence },
  },
  act('rotate'),
  act('enable'),
  act('test'),
  {
    method: 'GET',
    path: deliveries,
    good: deliveries,
    deadlineMs: 5_000,
    id: { path: '/webhooks/{}/deliveries', known: '{webhook_id}', absence },
    query: [
      integer('limit', { from: 1, to: 100, default: 50, basePath: deliveries }),
      cursor('cursor', { path: deliveries, shows: ({ has_more }) => has_more, all: false }),
    ],
  },
  {
    method: 'POST',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    good: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    deadlineMs: 5_000,
    id: {
      path: '/webhooks/{webhook_id}/deliveries/{}/redeliver',
      method: 'POST',
      absence: 'delivery_not_found',
    },
  },
];
