import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportFormats, type ExportResponse, tableFormatIds } from '@almanac/contracts';
import { storeArchive } from '@almanac/operator';
import { type Answer, type ApiClient, errorBody, poll } from '../api.js';
import { readyExport, showExport } from '../exports.js';
import type { SystemHarness } from '../harness.js';
import { type Curl, startCurl } from './curl.js';

const [event, ticker] = ['DOWNLOADED', 'DOWNLOADED-1'] as const;
const openS = 1_771_992_900;
/** More bytes than curl gets before it is killed. */
const rowsN = 20_000;

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Tests of the files of exports at two gateways, whose signed links live for this long. */
export const downloadSuite = (system: () => SystemHarness, linkLifeS: number): void => {
  describe('an export download', () => {
    let curl: Curl;
    let apis: ApiClient[] = [];
    let csv: ExportResponse;
    let fullFile: Buffer;

    before(async () => {
      curl = await startCurl();
      apis = await system().clients('internal');
      const times = { open_us: openS * 1e6, close_us: (openS + rowsN) * 1e6 };
      const row = { ticker, series: 'S', bidCents: 40, askCents: 60, sizes: null };
      await storeArchive(system().system, {
        facts: [{ kind: 'market', ticker, event_ticker: event, series: 'S', result: 'yes', ...times }],
        rows: Array.from({ length: rowsN }, (_, n) => ({ ...row, second: openS + n, coinPrice: n })),
      });
      csv = await readyExport(api(), { event });
      fullFile = (await file(csv.id)).bytes;
    });
    after(() => curl.stop());

    const api = (gateway = 0): ApiClient => apis[gateway] ?? assert.fail(`no gateway ${gateway}`);
    const urlOf = (id: string): string => `${system().system.baseUrls[0]}/api/v1/exports/${id}/file`;
    const withKey = (): string[] => ['--header', `Authorization: Bearer ${api().key}`];
    const file = (id: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> =>
      api().send(`/exports/${id}/file`, { method, headers });
    const show = (id: string, gateway = 0) => showExport(api(gateway), id);

    it('is the whole file, with its length, name, type and hash', async () => {
      const { status, headers } = await file(csv.id);
      assert.equal(status, 200);
      assert.deepEqual([fullFile.length, sha256Of(fullFile)], [csv.bytes, csv.sha256]);
      assert.deepEqual(
        ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges'].map((name) =>
          headers.get(name),
        ),
        [
          String(csv.bytes),
          'text/csv',
          'attachment; filename="DOWNLOADED_snapshots-settlement.csv"',
          `"${csv.sha256}"`,
          'bytes',
        ],
      );
      assert.deepEqual([headers.get('content-encoding'), headers.get('transfer-encoding')], [null, null]);
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
        const state = await readyExport(api(), { event, format, streams: ['settlement'] });
        const { headers } = await file(state.id);
        assert.equal(headers.get('content-type'), exportFormats[format].contentType);
        assert.equal(headers.get('content-encoding'), null);
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
        const { status, headers, bytes } = await file(csv.id, { range });
        assert.deepEqual(
          [status, headers.get('content-range')],
          [206, `bytes ${from}-${to}/${fullFile.length}`],
          range,
        );
        assert.deepEqual(
          [headers.get('content-length'), headers.get('etag')],
          [String(to - from + 1), `"${csv.sha256}"`],
          range,
        );
        assert.ok(bytes.equals(fullFile.subarray(from, to + 1)), range);
      }
    });

    it('with several ranges, an invalid one or another unit is the whole file', async () => {
      for (const range of [
        'bytes=0-1,5-6',
        'bytes=0-1, -1',
        'bytes=9-5',
        'bytes=a-b',
        'bytes=-',
        'bytes',
        'lines=1-2',
      ]) {
        const { status, headers, bytes } = await file(csv.id, { range });
        assert.deepEqual([status, headers.get('content-range'), bytes.length], [200, null, fullFile.length], range);
      }
    });

    it('beyond its end is 416 with the length of the file', async () => {
      for (const range of [
        `bytes=${fullFile.length}-`,
        `bytes=${fullFile.length + 5}-${fullFile.length + 9}`,
        'bytes=-0',
      ]) {
        const { status, headers, bytes } = await file(csv.id, { range });
        assert.deepEqual([status, headers.get('content-range')], [416, `bytes */${fullFile.length}`], range);
        assert.equal(errorBody.parse(JSON.parse(bytes.toString())).code, 'range_not_satisfiable');
      }
    });

    it('by If-Range is a part of the matching file, and the whole of another', async () => {
      const part = (tag: string) => file(csv.id, { range: 'bytes=5-9', 'if-range': tag });
      assert.equal((await part(`"${csv.sha256}"`)).status, 206);
      for (const tag of ['"another"', `W/"${csv.sha256}"`, csv.sha256 ?? '', 'Wed, 21 Oct 2015 07:28:00 GMT']) {
        const { status, bytes } = await part(tag);
        assert.deepEqual([status, bytes.length], [200, fullFile.length], tag);
      }
    });

    it('with a matching ETag is 304, before any range', async () => {
      const known = `"${csv.sha256}"`;
      for (const tag of [known, `W/${known}`, `"other", ${known}`, '*']) {
        const { status, headers, bytes } = await file(csv.id, { 'if-none-match': tag, range: 'bytes=0-1' });
        assert.deepEqual([status, headers.get('etag'), bytes.length], [304, known, 0], tag);
      }
      assert.equal((await file(csv.id, { 'if-none-match': '"other"' })).status, 200);
    });

    it('by HEAD has the headers of the whole file, and no byte', async () => {
      const got = await file(csv.id);
      for (const range of [{}, { range: 'bytes=0-1' }]) {
        const { status, headers, bytes } = await file(csv.id, range, 'HEAD');
        assert.deepEqual([status, bytes.length], [200, 0]);
        for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges'])
          assert.equal(headers.get(name), got.headers.get(name), name);
      }
      assert.equal((await file(csv.id, { 'if-none-match': `"${csv.sha256}"` }, 'HEAD')).status, 304);
    });

    /** The remaining lifetime of a link at a given time. */
    const lifeOf = (link: string, fromMs: number): number => {
      const { searchParams } = new URL(link);
      const dated = (searchParams.get('X-Amz-Date') ?? '').replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      return Date.parse(dated) + Number(searchParams.get('X-Amz-Expires')) * 1_000 - fromMs;
    };

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
      const old = await poll(() => request(0), isOld);
      await poll(
        () => request(1),
        (link) => link !== old,
      );
      assert.equal((await fetch(seen.at(-1) ?? '')).status, 200);
    });
  });
};
