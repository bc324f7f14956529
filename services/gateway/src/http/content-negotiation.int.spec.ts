import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Reply, subjects } from '@almanac/bus';
import { catalogRpc, type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import { sendRaw, type RawResponse, type RawRequest } from '../testing/raw-http.js';

const unpack = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;
const encodings = ['gzip', 'zstd'] as const;
const mediaTypes = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
const binary: readonly string[] = [mediaTypes.parquet, mediaTypes.arrow];

describe('the representation of a response', () => {
  let system: TestSystem;
  const steady = steadyIn(() => system);
  let authorization = '';
  const calls = new Map<string, number>();
  const metas = new Map<string, ReplyMeta>();
  const sizes = new Map<string, number>();
  let markets = 0;

  before(async () => {
    system = await startSystem({ CACHE_MB: '64', CACHE_FROM_REQUEST: '1' });
    authorization = `Bearer ${system.edge.keys.createKey('internal').text}`;
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), (input) => {
      const { ticker, format } = timeseriesRpc.snapshots.input.parse(input);
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return new Reply(bytesOf(ticker, format), { ticker, version: 1, cacheable: true, ...metas.get(ticker) });
    });
    system.edge.handlers.set(nameOf(catalogRpc.search), () => ({ pad: 'x'.repeat(5_000) }));
    await eventually(async () => {
      const ticker = market();
      for (let time = 0; time < 2; time += 1) await request(ticker);
      assert.equal(calls.get(ticker), 1);
    });
  });
  after(() => system.stop());

  const market = (size = 5_000, meta: ReplyMeta = {}): string => {
    markets += 1;
    const ticker = `T${markets}.5`;
    sizes.set(ticker, size);
    metas.set(ticker, meta);
    return ticker;
  };
  const bytesOf = (ticker: string, format: string): Buffer =>
    Buffer.from(`${ticker} ${format} ${'é1'.repeat(Math.ceil((sizes.get(ticker) ?? 0) / 3))}`);
  const at = (path: string, options: RawRequest = {}): Promise<RawResponse> =>
    sendRaw(`${system.url}/api/v1${path}`, { ...options, headers: { authorization, ...options.headers } });
  const request = (ticker: string, headers: Record<string, string> = {}, rest = '', method = 'GET') =>
    at(`/markets/${ticker}/snapshots${rest}`, { method, headers });

  steady('of an error is that of RFC 9457 for a client that accepts it, which changes no other answer', async () => {
    const accept = 'application/problem+json';
    const { status, headers, bytes } = await at('/search?limit=0', { headers: { accept } });
    const { type, errors } = JSON.parse(bytes.toString()) as { type: string; errors: { loc: string[] }[] };
    assert.deepEqual([status, headers['content-type'], type], [422, accept, '/docs/errors/validation_failed']);
    assert.deepEqual(errors[0]?.loc, ['query', 'limit']);
    const good = await request(market(), { accept });
    assert.deepEqual([good.status, good.headers['content-type']], [200, mediaTypes.json]);
    assert.equal(good.headers['almanac-notice'], undefined);
  });

  steady('follows Accept, and is JSON without it, for any type, and when no supported form is acceptable', async () => {
    const ticker = market();
    for (const [accept, form] of [
      [undefined, 'json'],
      ['*/*', 'json'],
      ['text/csv', 'csv'],
      ['text/csv; charset=utf-8', 'csv'],
      ['TEXT/*', 'csv'],
      ['application/*', 'json'],
      ['text/html, application/json;q=0.2, application/x-ndjson;q=0.3', 'ndjson'],
      ['application/vnd.apache.parquet, */*;q=0.1', 'parquet'],
      ['text/csv;q=0, application/x-ndjson;q=0.1', 'ndjson'],
      ['application/ndjson', 'ndjson'],
      ['application/jsonl; charset=utf-8', 'ndjson'],
      ['application/x-parquet', 'parquet'],
      ['application/parquet, */*;q=0.1', 'parquet'],
      ['application/vnd.apache.arrow.stream', 'arrow'],
      [`${'x/y, '.repeat(200)}text/csv`, 'csv'],
    ] as const) {
      const { headers, bytes } = await request(ticker, accept === undefined ? {} : { accept });
      assert.equal(headers['content-type'], mediaTypes[form], accept);
      assert.equal(headers['vary'], 'Accept, Accept-Encoding');
      assert.ok(bytes.equals(bytesOf(ticker, form)), accept);
    }
    for (const accept of ['image/png', 'no media type at all']) {
      const { headers, bytes } = await request(ticker, { accept });
      assert.equal(headers['content-type'], mediaTypes.json, accept);
      assert.equal(headers['vary'], 'Prefer, Accept, Accept-Encoding');
      assert.match(bytes.toString('utf8'), /^\{"notices":\[\{"code":"unknown_media_type"/, accept);
    }
    assert.equal(calls.get(ticker), 5);
  });

  steady('follows the parameter format before Accept', async () => {
    const ticker = market();
    for (const [format, mediaType] of Object.entries(mediaTypes)) {
      for (const accept of ['text/csv', 'application/json', 'image/png']) {
        for (let time = 0; time < 2; time += 1) {
          const { headers, bytes } = await request(ticker, { accept }, `?format=xml&format=${format}`);
          assert.deepEqual([headers['content-type'], bytes.equals(bytesOf(ticker, format))], [mediaType, true]);
        }
      }
    }
    assert.equal((await request(ticker, {}, '?format=CSV')).status, 422);
  });

  steady('has beside its rows the metadata of the JSON form and the next page', async () => {
    const head = {
      start_ts: 1771992900.5,
      end_ts: 1771993800,
      clamped: false,
      has_more: true,
      next_start_ts: 1771993000.000001,
      word: 'Ångström',
      nothing: null,
    };
    const detail = 'Ångström → "東京" is 5 % unlocked.';
    const notices = [{ code: 'books_not_included', detail, loc: null, nearest: null }] as const;
    const ticker = market(100, { head, notices });
    for (const time of ['from the service', 'from memory']) {
      const options = '?limit=5&%6cimit=6&start_ts=1&limit=7&start_ts=2';
      const { headers } = await request(ticker, { accept: 'text/csv' }, options);
      const headersOf = Object.entries(headers).filter(([name]) => name.startsWith('almanac-'));
      assert.deepEqual(
        Object.fromEntries(headersOf),
        {
          'almanac-start-ts': '1771992900.5',
          'almanac-end-ts': '1771993800',
          'almanac-clamped': 'false',
          'almanac-has-more': 'true',
          'almanac-next-start-ts': '1771993000.000001',
          'almanac-word': '%C3%85ngstr%C3%B6m',
          'almanac-notice': String.raw`books_not_included;detail="%C3%85ngstr%C3%B6m %E2%86%92 \"%E6%9D%B1%E4%BA%AC\" is 5 %25 unlocked."`,
        },
        time,
      );
      const path = `/api/v1/markets/${ticker}/snapshots`;
      const query = 'limit=5&limit=6&start_ts=1771993000.000001&limit=7';
      assert.equal(headers['link'], `<${path}?${query}>; rel="next"`, time);
    }
    const bare = await request(ticker, { accept: 'text/csv' });
    assert.match(String(bare.headers['link']), /\?start_ts=1771993000\.000001&end_ts=1771993800>; rel="next"$/);
    const own = await request(ticker, { accept: 'text/csv' }, '?end_ts=1771999999');
    assert.match(String(own.headers['link']), /\?end_ts=1771999999&start_ts=1771993000\.000001>; rel="next"$/);
    const listed = market(100, { head: { has_more: true, next_cursor: 'abc_-' } });
    const onward = await request(listed, { accept: 'text/csv' }, '?limit=2&cursor=old');
    assert.match(String(onward.headers['link']), /\?limit=2&cursor=abc_->; rel="next"$/);
    const end = market(100, { head: { ...head, has_more: false } });
    assert.equal((await request(end, { accept: 'text/csv' })).headers['link'], undefined);
  });

  steady('is compressed as Accept-Encoding requests, cached that way, and never compressed without it', async () => {
    for (const form of ['json', 'csv', 'ndjson'] as const) {
      const ticker = market();
      const accept = mediaTypes[form];
      const expected = bytesOf(ticker, form);
      for (const encoding of encodings) {
        for (let time = 0; time < 3; time += 1) {
          const { headers, bytes } = await request(ticker, { accept, 'accept-encoding': encoding });
          assert.deepEqual([headers['content-encoding'], headers['vary']], [encoding, 'Accept, Accept-Encoding']);
          assert.deepEqual([headers['content-type'], Number(headers['content-length'])], [accept, bytes.length]);
          assert.ok(unpack[encoding](bytes).equals(expected));
        }
      }
      for (const unwanted of [undefined, 'identity', 'br', 'gzip;q=0', 'gzip;q=0.2, identity;q=0.3', '*;q=0']) {
        const { headers, bytes } = await request(ticker, { accept, ...(unwanted && { 'accept-encoding': unwanted }) });
        assert.deepEqual([headers['content-encoding'], bytes.equals(expected)], [undefined, true], unwanted);
      }
      assert.equal(calls.get(ticker), 1);
    }
    const preferred = await request(market(), { 'accept-encoding': 'gzip, deflate, br, zstd' });
    assert.equal(preferred.headers['content-encoding'], 'zstd');
    const weighed = await request(market(), { 'accept-encoding': 'zstd;q=0.5, gzip;q=0.9' });
    assert.equal(weighed.headers['content-encoding'], 'gzip');
  });

  steady('is not compressed when it is short, an already compressed file, an error or a write', async () => {
    const headers = { 'accept-encoding': 'gzip, zstd' };
    const short = await request(market(900), headers);
    assert.deepEqual(
      [short.headers['content-encoding'], short.headers['vary']],
      [undefined, 'Accept, Accept-Encoding'],
    );
    for (const accept of binary) {
      const { headers: own } = await request(market(), { ...headers, accept });
      assert.deepEqual([own['content-type'], own['content-encoding']], [accept, undefined]);
    }
    const refused = await request(market(), headers, `?limit=${'9'.repeat(3_000)}`);
    assert.deepEqual([refused.status, refused.headers['content-encoding']], [422, undefined]);
  });

  steady('is compressed on any route, even without caching', async () => {
    const plain = await at('/search');
    assert.equal(plain.headers['vary'], 'Accept-Encoding');
    for (const encoding of encodings) {
      const { headers, bytes } = await at('/search', { headers: { 'accept-encoding': encoding } });
      assert.deepEqual([headers['content-encoding'], headers['cache-control']], [encoding, 'private, no-store']);
      assert.ok(unpack[encoding](bytes).equals(plain.bytes));
    }
  });

  steady('of three megabytes is compressed while it streams, and complete from the cache', async () => {
    for (const encoding of encodings) {
      const ticker = market(3_000_000);
      const options = { 'accept-encoding': encoding };
      const first = await request(ticker, options);
      assert.deepEqual([first.headers['content-encoding'], first.headers['transfer-encoding']], [encoding, 'chunked']);
      const second = await request(ticker, options);
      assert.equal(Number(second.headers['content-length']), second.bytes.length);
      const plain = await request(ticker);
      for (const { bytes } of [first, second]) assert.ok(unpack[encoding](bytes).equals(plain.bytes));
      assert.equal(calls.get(ticker), 1);
    }
  });

  steady('has its own ETag, which alone gives 304 until the data changes', async () => {
    const ticker = market();
    const shown = Object.values(mediaTypes).flatMap((accept) =>
      [{}, ...encodings.map((encoding) => ({ 'accept-encoding': encoding }))]
        .filter((_, index) => index === 0 || !binary.includes(accept))
        .map((encoding) => ({ accept, ...encoding })),
    );
    const tags: string[] = [];
    for (const acceptHeaders of shown) tags.push((await request(ticker, acceptHeaders)).headers.etag ?? '');
    assert.equal(new Set(tags).size, 11);
    const second = await system.another();
    for (const [index, acceptHeaders] of shown.entries()) {
      const tag = tags[index] ?? '';
      for (const known of [tag, `W/${tag}`, `"x", W/"y" ,${tag}`, '*']) {
        const { status, headers, bytes } = await request(ticker, { ...acceptHeaders, 'if-none-match': known });
        assert.deepEqual([status, headers.etag, bytes.length], [304, tag, 0], known);
        assert.equal(headers['vary'], 'Accept, Accept-Encoding');
      }
      const path = `${second.url}/api/v1/markets/${ticker}/snapshots`;
      const fresh = await sendRaw(path, { headers: { ...acceptHeaders, authorization, 'if-none-match': tag } });
      assert.deepEqual([fresh.status, fresh.headers.etag], [304, tag], 'from the service');
      const others = tags.filter((other) => other !== tag).join(', ');
      assert.equal((await request(ticker, { ...acceptHeaders, 'if-none-match': others })).status, 200);
    }
    metas.set(ticker, { version: 2 });
    await system.edge.append(subjects.archive(ticker), { ticker, version: 2, min_us: null, max_us: null });
    for (const [index, acceptHeaders] of shown.entries()) {
      await eventually(async () => {
        const { status, headers } = await request(ticker, { ...acceptHeaders, 'if-none-match': tags[index] ?? '' });
        assert.equal(status, 200);
        assert.ok(!tags.includes(headers.etag ?? ''));
      });
    }
  });

  steady('is the same for HEAD, without its bytes', async () => {
    for (const size of [500, 5_000, 3_000_000]) {
      for (const options of [{}, { 'accept-encoding': 'gzip' }, { accept: 'text/csv' }]) {
        const [fresh, ticker] = [market(size), market(size)];
        await request(ticker, options);
        const get = await request(ticker, options);
        const headersOf = ({ headers: { 'x-request-id': _id, date: _date, ...headers } }: RawResponse) => headers;
        const head = await request(ticker, options, '', 'HEAD');
        assert.deepEqual([head.status, head.bytes.length, headersOf(head)], [200, 0, headersOf(get)]);
        const uncached = await request(fresh, options, '', 'HEAD');
        assert.deepEqual([uncached.status, uncached.bytes.length], [200, 0]);
        assert.equal(uncached.headers['content-encoding'], get.headers['content-encoding']);
        assert.ok((await request(fresh)).bytes.equals(bytesOf(fresh, 'json')));
      }
    }
  });
});
