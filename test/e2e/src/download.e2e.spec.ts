import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tableFormatIds, exportFormats, type ExportResponse, exportResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/system';
import { eventually } from '@almanac/testing';
import { type ApiClient, errorBody, poll } from './api.js';
import { type Curl, startCurl } from './curl.js';
import { unknownReferences, readMetrics } from './metrics.js';
import { type SystemHarness, startHarness } from './harness.js';

const [event, ticker] = ['DOWNLOADED', 'DOWNLOADED-1'] as const;
const openS = 1_771_992_900;
const rowsN = 20_000;
/** Long enough that a slow machine sees a link several times. */
const linkLifeS = 12;

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('an export download', () => {
  let running: SystemHarness;
  let curl: Curl;
  let apis: ApiClient[] = [];
  let csv: ExportResponse;
  let fullFile: Buffer;

  before(async () => {
    const environment = { export: { LINK_TTL_S: String(linkLifeS), EXPORT_ATTEMPTS: '6' } };
    running = await startHarness({ gateways: 2, environment });
    curl = await startCurl();
    apis = await running.clients('internal');
    const times = { open_us: openS * 1e6, close_us: (openS + rowsN) * 1e6 };
    await storeArchive(running.system, {
      facts: [{ kind: 'market', ticker, event_ticker: event, series: 'S', result: 'yes', ...times }],
      rows: Array.from({ length: rowsN }, (_, n) => ({
        ticker,
        series: 'S',
        second: openS + n,
        bidCents: 40,
        askCents: 60,
        coinPrice: n,
        sizes: null,
      })),
    });
    csv = await ready({ event });
    fullFile = (await file(csv.id)).bytes;
  });
  after(async () => {
    await curl.stop();
    await running.stop();
  });

  const api = (gateway = 0): ApiClient => apis[gateway] ?? assert.fail(`no gateway ${gateway}`);
  const urlOf = (id: string): string => `${running.system.baseUrls[0]}/api/v1/exports/${id}/file`;
  const withKey = (): string[] => ['--header', `Authorization: Bearer ${api().key}`];
  const file = (id: string, ...args: readonly string[]) => curl.request(...withKey(), ...args, urlOf(id));
  const show = (id: string, gateway = 0) => api(gateway).json(exportResponse, `/exports/${id}`);
  const create = (input: object) =>
    api().json(exportResponse, '/exports', { method: 'POST', body: JSON.stringify(input) });
  const ended = async (id: string) =>
    poll(
      () => show(id),
      ({ status }) => status !== 'pending',
    );
  const ready = async (input: object): Promise<ExportResponse> => {
    const state = await ended((await create(input)).id);
    assert.equal(state.status, 'ready', state.error ?? '');
    return state;
  };

  it('is the whole file, with its length, name, type and hash', async () => {
    const { status, headers } = await file(csv.id);
    assert.equal(status, 200);
    assert.deepEqual([fullFile.length, sha256Of(fullFile)], [csv.bytes, csv.sha256]);
    assert.deepEqual(
      ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges'].map((name) => headers[name]),
      [
        String(csv.bytes),
        'text/csv',
        'attachment; filename="DOWNLOADED_snapshots-settlement.csv"',
        `"${csv.sha256}"`,
        'bytes',
      ],
    );
    assert.deepEqual([headers['content-encoding'], headers['transfer-encoding']], [undefined, undefined]);
  });

  for (const [name, address] of [
    ['the file route', async () => [...withKey(), urlOf(csv.id)]],
    ['the signed link', async () => [(await show(csv.id)).download_url ?? '']],
  ] as const) {
    it(`by ${name} continues with curl -C - where it was interrupted`, async () => {
      const into = `${name.replaceAll(' ', '-')}.csv`;
      const got = await curl.breakOff(into, ...(await address()));
      assert.ok(got > 0 && got < csv.bytes, `${got} of ${csv.bytes}`);
      const printed = await curl.run(
        '-C',
        '-',
        '-o',
        into,
        '-w',
        '%{http_code} %{size_download}',
        ...(await address()),
      );
      assert.equal(printed, `206 ${csv.bytes - got}`);
      assert.equal(sha256Of(await readFile(join(curl.folder, into))), csv.sha256);
      await curl.run('-C', '-', '-o', into, ...(await address()));
      assert.equal(sha256Of(await readFile(join(curl.folder, into))), csv.sha256, 'a whole one is left as it is');
    });
  }

  it('in every format has its own type, and the name that curl -OJ saves', async () => {
    for (const format of tableFormatIds) {
      const state = await ready({ event, format, streams: ['settlement'] });
      const { headers } = await file(state.id);
      assert.equal(headers['content-type'], exportFormats[format].contentType);
      assert.equal(headers['content-encoding'], undefined);
      await curl.run('-OJ', ...withKey(), urlOf(state.id));
      const saved = await readFile(join(curl.folder, `DOWNLOADED_settlement.${format}`));
      assert.equal(sha256Of(saved), state.sha256);
    }
  });

  it('by Range is the requested bytes', async () => {
    const last = fullFile.length - 1;
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 0],
      ['bytes=0-999', 0, 999],
      [`bytes=${last}-${last}`, last, last],
      ['bytes=-5', last - 4, last],
      [`bytes=-${last + 10}`, 0, last],
      [`bytes=${last - 2}-`, last - 2, last],
      [`bytes=5-${last + 10}`, 5, last],
      ['Bytes=7-9', 7, 9],
    ] as const) {
      const { status, headers, bytes } = await file(csv.id, '--header', `Range: ${range}`);
      assert.deepEqual([status, headers['content-range']], [206, `bytes ${from}-${to}/${fullFile.length}`], range);
      assert.deepEqual([headers['content-length'], headers['etag']], [String(to - from + 1), `"${csv.sha256}"`], range);
      assert.ok(bytes.equals(fullFile.subarray(from, to + 1)), range);
    }
  });

  it('with several ranges, an invalid one or another unit is the whole file', async () => {
    for (const range of ['bytes=0-1,5-6', 'bytes=0-1, -1', 'bytes=9-5', 'bytes=a-b', 'bytes=-', 'bytes', 'lines=1-2']) {
      const { status, headers, bytes } = await file(csv.id, '--header', `Range: ${range}`);
      assert.deepEqual([status, headers['content-range'], bytes.length], [200, undefined, fullFile.length], range);
    }
  });

  it('beyond its end is 416 with the length of the file', async () => {
    for (const range of [
      `bytes=${fullFile.length}-`,
      `bytes=${fullFile.length + 5}-${fullFile.length + 9}`,
      'bytes=-0',
    ]) {
      const { status, headers, bytes } = await file(csv.id, '--header', `Range: ${range}`);
      assert.deepEqual([status, headers['content-range']], [416, `bytes */${fullFile.length}`], range);
      assert.equal(errorBody.parse(JSON.parse(bytes.toString())).code, 'range_not_satisfiable');
    }
  });

  it('by If-Range is a part of the matching file, and the whole of another', async () => {
    const part = (tag: string) => file(csv.id, '--header', 'Range: bytes=5-9', '--header', `If-Range: ${tag}`);
    assert.equal((await part(`"${csv.sha256}"`)).status, 206);
    for (const tag of ['"another"', `W/"${csv.sha256}"`, csv.sha256 ?? '', 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const { status, bytes } = await part(tag);
      assert.deepEqual([status, bytes.length], [200, fullFile.length], tag);
    }
  });

  it('with a matching ETag is 304, before any range', async () => {
    const known = `"${csv.sha256}"`;
    for (const tag of [known, `W/${known}`, `"other", ${known}`, '*']) {
      const args = ['--header', `If-None-Match: ${tag}`, '--header', 'Range: bytes=0-1'];
      const { status, headers, bytes } = await file(csv.id, ...args);
      assert.deepEqual([status, headers['etag'], bytes.length], [304, known, 0], tag);
    }
    assert.equal((await file(csv.id, '--header', 'If-None-Match: "other"')).status, 200);
  });

  it('by HEAD has the headers of the whole file, and no byte', async () => {
    const got = await file(csv.id);
    for (const args of [[], ['--header', 'Range: bytes=0-1']]) {
      const { status, headers } = await file(csv.id, '--head', ...args);
      assert.equal(status, 200);
      for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges'])
        assert.equal(headers[name], got.headers[name], name);
    }
    const size = ['--head', '--output', '/dev/null', '--write-out', '%{size_download}'];
    assert.equal(await curl.run(...size, ...withKey(), urlOf(csv.id)), '0');
    assert.equal((await file(csv.id, '--head', '--header', `If-None-Match: "${csv.sha256}"`)).status, 304);
  });

  it('by a changed link is 403 with the reason', async () => {
    const { download_url: link } = await show(csv.id);
    assert.ok(link);
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(link);
      change(url);
      return url.href;
    };
    const flipped = (text: string): string => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
    const tampered: [string, string][] = [
      ['another object', changed((url) => (url.pathname = url.pathname.replace(/.(?=\.csv$)/, flipped)))],
      ['the bucket', changed((url) => (url.pathname = '/almanac'))],
      ['no signature', changed((url) => url.searchParams.delete('X-Amz-Signature'))],
      ...['X-Amz-Signature', 'X-Amz-Expires', 'X-Amz-Date', 'X-Amz-Credential', 'response-content-disposition'].map(
        (name): [string, string] => [
          name,
          changed(({ searchParams }) => searchParams.set(name, flipped(searchParams.get(name) ?? ''))),
        ],
      ),
      ['something more', changed((url) => url.searchParams.set('response-content-type', 'text/html'))],
    ];
    for (const [what, url] of tampered) {
      const { status, headers, bytes } = await curl.request(url);
      assert.deepEqual([status, headers['content-type']], [403, 'application/xml'], `${what}: ${bytes.toString()}`);
      assert.match(
        bytes.toString(),
        /<Code>(AccessDenied|SignatureDoesNotMatch|InvalidAccessKeyId)<\/Code><Message>.+</,
      );
    }
    for (const args of [
      ['-X', 'DELETE'],
      ['-T', join(curl.folder, 'nothing')],
      ['-X', 'POST', '-d', 'x'],
    ]) {
      await curl.run('-o', 'nothing', '-s', 'file:///dev/null');
      assert.equal((await curl.request(...args, link)).status, 403, args.join(' '));
    }
    assert.equal((await file(csv.id)).status, 200);
  });

  /** The remaining lifetime of a link at a given time. */
  const lifeOf = (link: string, fromMs: number): number => {
    const { searchParams } = new URL(link);
    const dated = (searchParams.get('X-Amz-Date') ?? '').replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
    return Date.parse(dated) + Number(searchParams.get('X-Amz-Expires')) * 1_000 - fromMs;
  };

  it('by an expired link is 403 with the reason, and a new link is available', async () => {
    const { download_url: link } = await show(csv.id);
    assert.ok(link);
    assert.equal((await curl.request(link)).status, 200);
    const late = await poll(
      () => curl.request(link),
      ({ status }) => status !== 200,
    );
    assert.ok(lifeOf(link, Date.now()) <= 0);
    assert.equal(late.status, 403);
    assert.match(late.bytes.toString(), /<Code>AccessDenied<\/Code><Message>Request has expired<\/Message>/);
    const { download_url: next } = await show(csv.id);
    assert.ok(next !== null && next !== link);
    assert.equal((await curl.request(next)).status, 200);
  });

  it('has one link until half of its lifetime, and no gateway returns one with less', async () => {
    const halfLifetimeMs = (linkLifeS * 1_000) / 2;
    const seen: string[] = [];
    const request = async (gateway: number): Promise<string> => {
      const requestedMs = Date.now();
      const { download_url: link, expires_in_s: expiresInS } = await show(csv.id, gateway);
      assert.ok(link);
      assert.ok(lifeOf(link, requestedMs) >= halfLifetimeMs, `${lifeOf(link, requestedMs)} ms are left`);
      assert.ok(expiresInS <= lifeOf(link, requestedMs) / 1_000 && expiresInS >= linkLifeS / 2 - 1);
      const last = seen.at(-1) ?? link;
      // Its date may be a second behind the start of its half-life.
      if (last !== link)
        assert.ok(lifeOf(last, Date.now()) <= halfLifetimeMs + 1_000, 'the one before was given up too early');
      if (last !== link || seen.length === 0) seen.push(link);
      return link;
    };
    // The second gateway gets each link late, and must not measure its half-life from then on.
    const isOld = (link: string): boolean => lifeOf(link, Date.now()) < halfLifetimeMs * 1.3;
    for (let round = 0; round < 2; round += 1) {
      const old = await poll(() => request(0), isOld);
      await poll(
        () => request(1),
        (link) => link !== old,
      );
    }
  });

  it('has metrics, and every panel and alert uses only existing metrics and labels', async () => {
    await eventually(async () => {
      const measured = await readMetrics(running.system);
      assert.deepEqual(await unknownReferences(measured), []);
      const least = { almanac_export_file_bytes_total: fullFile.length, almanac_cache_bytes: 0 };
      for (const [name, value] of Object.entries(least)) assert.ok((measured.sum(name) ?? -1) >= value, name);
      for (const name of ['clickhouse_queries', 's3_requests', 'rpc_requests', 'rpc_client_requests']) {
        assert.ok((measured.sum(`almanac_${name}_total`, 'outcome="ok"') ?? 0) > 0, name);
      }
      assert.ok((measured.sum('almanac_http_requests_total', 'route="/exports",method="post"') ?? 0) >= 1);
      assert.ok((measured.sum('almanac_export_files_total', 'outcome="ready"') ?? 0) >= 1);
      assert.equal(measured.sum('almanac_consumer_pending', 'consumer="export-workers"'), 0);
    });
  });
});
