import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalogRpc, exportRpc } from '@almanac/contracts';
import { z } from 'zod';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

const refused = z.looseObject({
  detail: z.array(z.looseObject({ type: z.string() })),
  code: z.literal('validation_failed'),
  request_id: z.string(),
  notices: z.array(z.looseObject({ code: z.string(), detail: z.string(), nearest: z.string() })),
});

describe('the first requests of a new user', () => {
  let system: TestSystem;
  let key: { text: string };
  before(async () => {
    system = await startSystem();
    key = system.edge.keys.createKey();
    for (const contract of [catalogRpc.search, catalogRpc.listSeries, catalogRpc.seriesDetail, exportRpc.create]) {
      system.edge.handlers.set(nameOf(contract), (input) => ({ got: input }));
    }
  });
  after(() => system.stop());

  const detailOf = async (response: Response) =>
    z.looseObject({ detail: z.string() }).parse(await response.json()).detail;

  it('learn that a key needs the word Bearer before it', async () => {
    for (const authorization of [key.text, `Bearer${key.text}`, `Bearer: ${key.text}`]) {
      const response = await system.request('/search', undefined, { headers: { authorization } });
      assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'], authorization);
      const detail = await detailOf(response);
      assert.match(detail, /without the word Bearer before it\. Send `Authorization: Bearer <API_KEY>`/);
      assert.ok(!detail.includes(key.text));
    }
    for (const authorization of [`Bearer ${key.text}x`, 'Basic abc', 'Bearer abc']) {
      const response = await system.request('/search', undefined, { headers: { authorization } });
      assert.match(await detailOf(response), /The API key is not valid/, authorization);
    }
  });

  it('learn which header a JSON body needs, beside the unchanged detail', async () => {
    for (const contentType of ['application/x-www-form-urlencoded', 'text/plain']) {
      const init = { method: 'POST', body: '{"event":"E"}', headers: { 'content-type': contentType } };
      const response = await system.request('/exports', key, init);
      assert.equal(response.status, 422);
      const { detail, notices } = refused.parse(await response.json());
      assert.deepEqual(detail, [
        {
          type: 'model_attributes_type',
          loc: ['body'],
          msg: 'Input should be a valid dictionary or object to extract fields from',
          input: '{"event":"E"}',
        },
      ]);
      assert.deepEqual(
        notices.map(({ code, nearest }) => [code, nearest]),
        [['content_type', 'application/json']],
      );
      assert.match(response.headers.get('almanac-notice') ?? '', /Send Content-Type: application\/json\./);
    }
    const list = await system.request('/exports', key, {
      method: 'POST',
      body: '[]',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(list.headers.get('almanac-notice'), null);
  });

  it('learn the Unix seconds of an ISO 8601 time, beside the unchanged detail', async () => {
    for (const [text, seconds] of [
      ['2026-02-24T23:30:00Z', '1771975800'],
      ['2026-02-24', '1771891200'],
      ['2026-02-24T23:30', '1771975800'],
      ['2026-02-24 23:30:00.25', '1771975800.25'],
      ['2026-02-25T00:30:00+01:00', '1771975800'],
      ['2026-02-24T18:30:00-0500', '1771975800'],
    ] as const) {
      // As pasted: the plus sign is not encoded.
      const response = await system.request(`/search?from_ts=${text.replace(' ', '%20')}`, key);
      const { detail, notices } = refused.parse(await response.json());
      assert.deepEqual(
        detail.map(({ type }) => type),
        ['float_parsing'],
      );
      assert.deepEqual(
        notices.map(({ code, nearest }) => [code, nearest]),
        [['time_format', seconds]],
        text,
      );
      assert.match(notices[0]?.detail ?? '', new RegExp(`from_ts takes Unix seconds\\..* is ${seconds}\\.$`));
    }
    for (const text of ['x', 'yesterday', '2026-13-01', '2026-02-24T99:00Z']) {
      const response = await system.request(`/search?from_ts=${text}`, key);
      assert.deepEqual([response.status, response.headers.get('almanac-notice')], [422, null], text);
    }
  });

  it('lead a browser from / to the console, and no other client', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const response = await fetch(`${system.url}/`, { headers: { accept }, redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [302, 'console']);
    const followed = await fetch(`${system.url}/`, { headers: { accept } });
    assert.deepEqual([followed.status, followed.url], [200, `${system.url}/console`]);
    const other = await fetch(`${system.url}/`);
    assert.equal(other.status, 404);
    assert.match(await detailOf(other), /See \/docs/);
  });

  it('learn the nearest path of one that does not exist, and the reference', async () => {
    for (const [path, nearest] of [
      ['/api/v1/serie', '/api/v1/series'],
      ['/api/v1/Series', '/api/v1/series'],
      ['/v1/markets/A%2FB/snapshot', '/api/v1/markets/A%2FB/snapshots'],
      ['/doc', '/docs'],
    ] as const) {
      const response = await fetch(`${system.url}${path}`);
      assert.equal(response.status, 404);
      assert.equal(
        await detailOf(response),
        `This path does not exist. Did you mean ${nearest}? See /docs for the list of endpoints.`,
      );
    }
    const response = await fetch(`${system.url}/nothing`);
    assert.equal(await detailOf(response), 'This path does not exist. See /docs for the list of endpoints.');
  });

  it('are answered with one slash too many', async () => {
    assert.deepEqual(await (await system.request('/series/?limit=5', key)).json(), { got: { offset: 0, limit: 5 } });
    const detail = await (await system.request('/series/KXBTC/', key)).json();
    assert.deepEqual(detail, { got: { series_id: 'KXBTC', offset: 0, event_offset: 0, limit: 80 } });
    const init = { method: 'POST', body: '{"event":"E"}', headers: { 'content-type': 'application/json' } };
    assert.equal((await system.request('/exports/', key, init)).status, 200);
    assert.equal((await system.request('/series/')).status, 401);
    assert.equal((await system.request('/series/', key, { method: 'PUT' })).status, 405);
    for (const path of ['/series//', '/nothing/', '//']) {
      assert.equal((await system.request(path, key)).status, 404, path);
    }
  });
});
