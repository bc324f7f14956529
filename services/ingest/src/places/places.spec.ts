import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { importSummary } from '../import/report/summary.js';
import { withFolder } from '../import/testing/with-folder.js';
import { tarOf, zipOf } from '../sources/testing/archives.js';
import { importPlaces, quotes } from './testing/import-places.js';
import { quoteParquet } from './testing/quote-file.js';
import { type ObjectServer, serveObject, type ServedOptions, withServer } from './testing/object-server.js';

const withObjects = async <T>(
  objects: Readonly<Record<string, string | Uint8Array>>,
  work: (server: ObjectServer, folder: string) => Promise<T>,
  options: ServedOptions = {},
): Promise<T> =>
  withFolder((folder) =>
    withServer(
      (request, response) => {
        const object = objects[(request.url ?? '').split('?', 1)[0] ?? ''];
        if (object === undefined) response.writeHead(404).end();
        else serveObject(request, response, Buffer.from(object), options);
      },
      (server) => work(server, folder),
    ),
  );

describe('an address', () => {
  it('is read as the same local file, whatever contains it', async () => {
    const text = quotes('KXA-26AUG10-A', 9_000);
    const objects = {
      '/a.csv': text,
      '/a.csv.gz': gzipSync(text),
      '/days.tar.zst': zstdCompressSync(tarOf([['day.csv', text]])),
      '/days.tar': tarOf([['day.csv', text]]),
      '/days.zip': zipOf([['day.csv', text]]),
      '/a.parquet': quoteParquet(9_000),
    };
    for (const hasRanges of [true, false])
      await withObjects(
        objects,
        async ({ url }, folder) => {
          for (const path of Object.keys(objects)) {
            const { reports, rows } = await importPlaces([url + path], { folder });
            const inner = path.startsWith('/days') ? '/day.csv' : '';
            assert.deepEqual(
              reports.map(({ file, error, observationsStored }) => [file, error, observationsStored]),
              [[url + path + inner, null, 9_000]],
            );
            assert.equal(rows.size, 9_000);
          }
        },
        { hasRanges },
      );
  });

  it('of a Parquet file is read by ranges, in few requests', async () => {
    const rows = 400_000;
    const file = quoteParquet(rows);
    await withObjects({ '/a.parquet': file }, async ({ url, requests }, folder) => {
      const { reports } = await importPlaces([`${url}/a.parquet`], { folder });
      assert.deepEqual([reports[0]?.error, reports[0]?.observationsStored], [null, rows]);
      assert.ok(requests.every(({ headers }) => headers.range !== undefined));
      assert.ok(requests.length < 40, `${requests.length} requests for ${file.length} bytes`);
    });
  });

  it('shows no secret, is sent its user and password, and two signed links of a path are two files', async () => {
    const text = quotes('KXA-26AUG10-A', 3);
    await withObjects({ '/a.csv': text }, async ({ host, requests }, folder) => {
      const places = [
        `http://user:pa%20ss@${host}/a.csv?X-Amz-Signature=verysecret&day=1`,
        `http://user:pa%20ss@${host}/a.csv?X-Amz-Signature=other&day=1`,
        `http://user:pa%20ss@${host}/missing.csv?sig=verysecret`,
      ];
      const { reports } = await importPlaces(places, { folder });
      assert.doesNotMatch(JSON.stringify(reports), /secret|pa%20ss|pa ss/);
      assert.deepEqual(
        reports.map(({ file, error }) => [file, error]),
        [
          [`http://${host}/a.csv?X-Amz-Signature=…&day=1`, null],
          [`http://${host}/a.csv?X-Amz-Signature=…&day=1 (2)`, null],
          [
            `http://${host}/missing.csv?sig=…`,
            `http://${host}/missing.csv?sig=…: the server answers 404 Not Found. Check the address`,
          ],
        ],
      );
      const login = `Basic ${Buffer.from('user:pa ss').toString('base64')}`;
      assert.ok(requests.every(({ headers }) => headers.authorization === login));
    });
  });
});

describe('an object', () => {
  it('that did not change is skipped by the next import, unless its options or --again say otherwise', async () => {
    const objects: Record<string, string> = {
      '/a.csv': quotes('KXA-26AUG10-A', 3),
      '/b.csv': quotes('KXB-26AUG10-B', 3),
      '/bad.csv': 't,at,bid\nKXA-26AUG10-A,1786399201,45',
    };
    await withObjects(objects, async ({ url }, folder) => {
      const places = Object.keys(objects).map((path) => url + path);
      const skipped = async (options: { again?: boolean; mapping?: null } = {}) =>
        importSummary(await importPlaces(places, { folder, again: false, ...options }), false).files.flatMap((file) =>
          file.unchanged_since === null ? [] : [file.file],
        );
      assert.deepEqual(await skipped(), []);
      // Nothing of the third one was stored, so it is read again.
      assert.deepEqual(await skipped(), places.slice(0, 2));
      objects['/b.csv'] = quotes('KXB-26AUG10-B', 4);
      assert.deepEqual(await skipped(), places.slice(0, 1));
      assert.deepEqual(await skipped(), places.slice(0, 2));
      assert.deepEqual(await skipped({ again: true }), []);
      assert.deepEqual(await skipped({ mapping: null }), []);
    });
  });

  it('that describes markets is read again with a new one, and skipped if all are unchanged', async () => {
    const market =
      '{"ticker":"KXA-26AUG10-A","event_ticker":"KXA-26AUG10","close_time":"2026-08-10T00:00:00Z","status":"active"}';
    const objects: Record<string, string> = { '/m.jsonl': market, '/n.jsonl': market.replaceAll('KXA', 'KXN') };
    await withObjects(objects, async ({ url }, folder) => {
      const skipped = async (...paths: readonly string[]) =>
        (
          await importPlaces(
            paths.map((path) => url + path),
            { folder, again: false, mapping: null },
          )
        ).reports.map(({ unchangedSince }) => unchangedSince !== null);
      assert.deepEqual(await skipped('/m.jsonl'), [false]);
      assert.deepEqual(await skipped('/m.jsonl'), [true]);
      assert.deepEqual(await skipped('/m.jsonl', '/n.jsonl'), [false, false]);
      assert.deepEqual(await skipped('/m.jsonl', '/n.jsonl'), [true, true]);
    });
  });
});
