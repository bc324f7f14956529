import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Reply } from '@almanac/bus';
import { type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { type RawRequest, sendRaw } from '../testing/raw-http.js';
import { nameOf } from '../testing/service-stubs.js';

const noticed = z.looseObject({
  notices: z.array(z.looseObject({ code: z.string(), nearest: z.string().nullable() })).default([]),
});

describe('notices of a cached answer', () => {
  let system: TestSystem;
  let key: TestKey;
  let markets = 0;
  const steady = steadyIn(() => system);
  before(async () => {
    system = await startSystem({ CACHE_FROM_REQUEST: '1' });
    key = system.edge.keys.createKey('internal');
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), (input) => {
      const { ticker } = timeseriesRpc.preview.input.parse(input);
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return Reply.json({ ticker, pad: 'x'.repeat(3_000) }, metas.get(ticker));
    });
    // A gateway that has just started does not know yet that no change is missing, and stores no answer.
    await eventually(async () => {
      const ticker = market();
      for (let time = 0; time < 2; time += 1) await snapshots(ticker);
      assert.equal(calls.get(ticker), 1);
    });
  });
  after(() => system.stop());

  const calls = new Map<string, number>();
  const metas = new Map<string, ReplyMeta>();
  const market = (meta: ReplyMeta = {}): string => {
    markets += 1;
    const ticker = `T${markets}`;
    metas.set(ticker, { ticker, version: 1, ...meta });
    return ticker;
  };
  const snapshots = (ticker: string, query = '', headers: Record<string, string> = {}) =>
    system.request(`/markets/${ticker}/snapshots${query}`, key, { headers });
  const request = (path: string, options: RawRequest) =>
    sendRaw(`${system.url}/api/v1${path}`, {
      ...options,
      headers: { authorization: `Bearer ${key.text}`, ...options.headers },
    });
  const noticesOf = async (response: Response) => noticed.parse(await response.json()).notices;

  steady('belong to one request: no cached answer has those of another', async () => {
    const ticker = market();
    const noticedResponse = await snapshots(ticker, '?limt=5');
    const plain = await snapshots(ticker);
    const again = await snapshots(ticker, '?stat_ts=5');
    const repeated = await snapshots(ticker, '?stat_ts=5');
    assert.equal(calls.get(ticker), 1);
    assert.equal((await noticesOf(noticedResponse))[0]?.nearest, 'limit');
    assert.deepEqual(await noticesOf(plain), []);
    assert.equal(plain.headers.get('almanac-notice'), null);
    for (const response of [again, repeated]) {
      assert.match(response.headers.get('almanac-notice') ?? '', /nearest="start_ts"/);
      const text = await response.text();
      assert.equal(noticed.parse(JSON.parse(text)).notices[0]?.nearest, 'start_ts');
    }
    const [accept] = await noticesOf(await snapshots(ticker, '', { accept: 'text/csvv' }));
    assert.equal(accept?.nearest, 'text/csv');
  });

  steady('change the ETag, and 304 is sent for the answer with these notices only', async () => {
    const ticker = market();
    const plain = (await snapshots(ticker)).headers.get('etag') ?? '';
    const limt = (await snapshots(ticker, '?limt=5')).headers.get('etag') ?? '';
    const other = (await snapshots(ticker, '?lmit=5')).headers.get('etag') ?? '';
    assert.equal(new Set([plain, limt, other]).size, 3);
    for (const gateway of [system, await system.another()]) {
      const statusOf = async (query: string, etag: string) => {
        const path = `/markets/${ticker}/snapshots${query}`;
        const response = await gateway.request(path, key, { headers: { 'if-none-match': etag } });
        return [response.status, response.headers.has('almanac-notice')];
      };
      assert.deepEqual(await statusOf('', plain), [304, false]);
      assert.deepEqual(await statusOf('?limt=5', limt), [304, true]);
      assert.deepEqual(await statusOf('?limt=5', plain), [200, true]);
      assert.deepEqual(await statusOf('', limt), [200, false]);
    }
  });

  steady('are in compressed answers and in long ones, whose cached copy has none', async () => {
    const ticker = market();
    const pad = 'é'.repeat(1_500_000);
    system.edge.handlers.set(nameOf(timeseriesRpc.preview), () => Reply.json({ ticker, pad }, metas.get(ticker)));
    for (const query of ['?limt=5', '', '?limt=5']) {
      const path = `/markets/${ticker}/preview${query}`;
      for (const encoding of ['gzip', 'identity']) {
        const answer = await request(path, { headers: { 'accept-encoding': encoding } });
        const bytes = encoding === 'gzip' ? gunzipSync(answer.bytes) : answer.bytes;
        if (encoding === 'identity') assert.equal(Number(answer.headers['content-length']), answer.bytes.length);
        const body = noticed.extend({ pad: z.string() }).parse(JSON.parse(bytes.toString('utf8')));
        assert.deepEqual([body.notices.length, body.pad === pad], [query === '' ? 0 : 1, true], `${query} ${encoding}`);
      }
    }
  });

  steady('of a service are in the same list, before those on the request, and are cached', async () => {
    const clamped = { code: 'window_clamped' as const, detail: 'Cut.', loc: ['query', 'end_ts'], nearest: '5' };
    const ticker = market({ notices: [clamped] });
    const codesOf = async (query: string, headers: Record<string, string> = {}) => {
      const response = await snapshots(ticker, query, headers);
      const header = response.headers.get('almanac-notice') ?? '';
      const body = await noticesOf(response);
      assert.deepEqual(
        new Set([...header.matchAll(/([a-z_]+);loc/g)].map(([, code]) => code)),
        new Set(body.map(({ code }) => code)),
      );
      return body.map(({ code }) => code);
    };
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(await codesOf(''), ['window_clamped']);
      assert.deepEqual(await codesOf('?limt=5'), ['window_clamped', 'unknown_parameter']);
      assert.deepEqual(await codesOf('', { prefer: 'handling=strict' }), ['window_clamped']);
    }
    assert.equal(calls.get(ticker), 1);
  });
});
