import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { Almanac } from '../client.js';
import { ConnectionError } from '../errors.js';
import { type Answer, json, refusal, type StubServer, stubServer } from '../testing/stub-server.js';
import type { AlmanacOptions } from './settings.js';

let server: StubServer | undefined;
const clientOf = async (options: AlmanacOptions, ...answers: readonly Answer[]): Promise<Almanac> => {
  server = await stubServer(...answers);
  return new Almanac({ apiKey: 'ak_test', baseUrl: server.url, ...options });
};

describe('the hooks of a client', () => {
  afterEach(() => server?.close());

  it('get the notices of each page of a list that is iterated', async () => {
    const detail = 'Nothing fits. See GET /api/v1/categories.';
    const notices = [{ code: 'unknown_id', detail, loc: null, nearest: null }];
    const seen: unknown[] = [];
    const client = await clientOf(
      { onNotice: ({ code, detail: text, url }) => seen.push([code, text, new URL(url).search]) },
      json(200, { hits: [{ id: 'a' }], has_more: true, next_offset: 1, notices }),
      json(200, { hits: [{ id: 'b' }], has_more: false, next_offset: null }),
    );
    assert.equal((await client.search('x').toArray()).length, 2);
    assert.deepEqual(seen, [['unknown_id', 'Nothing fits. See `categories.list()`.', '?q=x']]);
  });

  it('get a pause of more than 2 s before it begins, and no shorter one', async () => {
    const stop = new AbortController();
    const waits: unknown[] = [];
    const client = await clientOf(
      {
        onWait: ({ error, seconds, attempt }) => {
          waits.push([error.code, Math.floor(seconds), attempt]);
          stop.abort(new Error('seen'));
        },
      },
      refusal(503, 'unavailable', { 'Retry-After': '0' }),
      refusal(429, 'rate_limited', { 'Retry-After': '30' }),
    );
    await assert.rejects(client.plan.get({ signal: stop.signal }), /seen/);
    assert.deepEqual(waits, [['rate_limited', 30, 3]]);
  });

  it('name calls in the words that a program gives', async () => {
    const wording = { calls: { search: 'find WORDS' }, phrases: [] };
    const body = {
      detail: 'No market NOPE. Search with GET /api/v1/search.',
      code: 'market_not_found',
      request_id: 'r',
    };
    const client = await clientOf({ wording }, json(404, body));
    await assert.rejects(client.markets.get('NOPE'), /No market NOPE\. Find the market with .* or `find WORDS`\./);
  });
});

describe('the error of a server that does not answer', () => {
  it('is one line, and has its stack and cause with NODE_DEBUG=almanac', async () => {
    const stopped = await stubServer();
    await stopped.close();
    const client = new Almanac({ apiKey: 'ak_test', baseUrl: stopped.url, maxRetries: 0 });
    const errorOf = (): Promise<unknown> =>
      client.plan.get().then(
        () => assert.fail('a server answered'),
        (error: unknown) => error,
      );
    const error = await errorOf();
    assert.ok(error instanceof ConnectionError);
    assert.match(
      error.message,
      /^connection_failed: No answer from http:\S+ \(ECONNREFUSED\)\. Check that the server runs/,
    );
    assert.equal(inspect(error), `ConnectionError: ${error.message}`);
    assert.equal(error.stack, inspect(error));
    process.env['NODE_DEBUG'] = 'http,almanac';
    try {
      assert.match(inspect(await errorOf()), /\n +at .*\[cause\]/s);
    } finally {
      delete process.env['NODE_DEBUG'];
    }
  });
});
