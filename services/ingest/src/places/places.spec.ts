import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { withFolder } from '../import/testing/with-folder.js';
import { tarOf, zipOf } from '../sources/testing/archives.js';
import { importPlaces, quotes } from './testing/import-places.js';
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

const parquet = (rows: number): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 't', data: Array.from({ length: rows }, () => 'KXA-26AUG10-A'), type: 'STRING' },
        { name: 'at', data: Array.from({ length: rows }, (_, at) => BigInt(1_786_399_201 + at)), type: 'INT64' },
        { name: 'bid', data: Array.from({ length: rows }, (_, at) => (at % 80) / 100), type: 'DOUBLE' },
        { name: 'noise', data: Array.from({ length: rows }, (_, at) => Math.sin(at)), type: 'DOUBLE' },
      ],
    }),
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
      '/a.parquet': parquet(9_000),
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
    const file = parquet(rows);
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
      const text = JSON.stringify(reports);
      assert.doesNotMatch(text, /secret|pa%20ss|pa ss/);
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

describe('a connection', () => {
  const text = quotes('KXA-26AUG10-A', 60_000);
  const bytes = Buffer.from(text);

  it('that breaks continues where it broke, with and without ranges', async () => {
    for (const hasRanges of [true, false]) {
      let answers = 0;
      await withServer(
        (request, response) => {
          answers += 1;
          serveObject(request, response, bytes, {
            hasRanges,
            // Without ranges, an answer begins at the start.
            cutAfter: 300_000 * answers,
          });
        },
        (server) =>
          withFolder(async (folder) => {
            const { reports, rows, waits } = await importPlaces([`${server.url}/a.csv`], { folder });
            assert.deepEqual([reports[0]?.error, reports[0]?.refusals, rows.size], [null, 0, 60_000]);
            assert.match(waits[0] ?? '', /^Waiting for http.*\/a\.csv: the connection failed .*\(attempt 2 of 7\)$/);
          }),
      );
    }
  });

  it('to a busy server is repeated, and given up after a bound', async () => {
    let answers = 0;
    const busy = async (times: number) =>
      withServer(
        (request, response) => {
          answers += 1;
          if (answers > times) serveObject(request, response, bytes);
          else response.writeHead([429, 500, 503][answers % 3] ?? 503).end();
        },
        ({ url }) => withFolder((folder) => importPlaces([`${url}/a.csv`], { folder })),
      );
    assert.equal((await busy(5)).rows.size, 60_000);
    answers = 0;
    const { reports, rows } = await busy(Infinity);
    assert.match(reports[0]?.error ?? '', /a\.csv: the server answers .*, also at attempt 7 of 7$/);
    assert.equal(rows.size, 0);
    assert.equal(answers, 7);
  });

  it('that is silent is shown as waiting, and tried again', async () => {
    let answers = 0;
    await withServer(
      (request, response) => {
        answers += 1;
        if (answers === 1) return;
        serveObject(request, response, bytes);
      },
      ({ url }) =>
        withFolder(async (folder) => {
          const places = { silenceMs: 300, waitingMs: 100 };
          const { rows, waits } = await importPlaces([`${url}/a.csv`], { folder, places });
          assert.equal(rows.size, 60_000);
          assert.equal(waits[0], `Waiting for ${url}/a.csv: nothing came for 0.1 s`);
          assert.match(waits.join('\n'), /the connection failed \(nothing came for 0\.3 s\) \(attempt 2 of 7\)/);
        }),
    );
  });

  it('to an object that changes while it is read is an error of that file, and the rest goes on', async () => {
    let isRead = false;
    await withServer(
      (request, response) => {
        if (request.url === '/b.csv') return serveObject(request, response, Buffer.from(quotes('KXB-26AUG10-B', 5)));
        const from = Number(/^bytes=(\d+)/.exec(request.headers.range ?? '')?.[1] ?? 0);
        if (from > 0 && isRead) return serveObject(request, response, Buffer.from(quotes('KXC-26AUG10-C', 60_001)));
        isRead ||= from > 0;
        serveObject(request, response, bytes, from > 0 ? { cutAfter: 500_000 } : {});
      },
      ({ url }) =>
        withFolder(async (folder) => {
          const into = await importPlaces([`${url}/a.csv`, `${url}/b.csv`], { folder, again: false });
          assert.deepEqual(
            into.reports.map(({ error }) => error),
            [`${url}/a.csv: the object changed while it was read. Import it again`, null],
          );
          assert.ok(!JSON.stringify([...into.rows.keys()]).includes('KXC'));
          const next = await importPlaces([`${url}/a.csv`, `${url}/b.csv`], { folder, again: false, into });
          assert.deepEqual(next.reports.map(({ unchangedSince }) => unchangedSince).toSorted(), [
            '1970-01-01T00:00:00.000Z',
            null,
          ]);
        }),
    );
  });
});

describe('a redirect', () => {
  it('of the same host is followed, and one to another host only if it is allowed', async () => {
    const text = Buffer.from(quotes('KXA-26AUG10-A', 3));
    await withServer(
      (request, response) => serveObject(request, response, text),
      (other) =>
        withServer(
          (request, response) => {
            const to = { '/same': '/a.csv', '/other': `${other.url}/b.csv`, '/loop': '/loop' }[request.url ?? ''];
            if (to === undefined) serveObject(request, response, text);
            else response.writeHead(302, { location: to }).end();
          },
          ({ host, url }) =>
            withFolder(async (folder) => {
              const errorOf = async (place: string, allowedHosts: readonly string[] = []) =>
                (await importPlaces([place], { folder, places: { allowedHosts } })).reports[0]?.error;
              assert.equal(await errorOf(`${url}/same`), null);
              assert.equal(await errorOf(`${url}/loop`), `${url}/loop: the server redirects more than 5 times`);
              assert.equal(
                await errorOf(`http://user:pw@${host}/other`),
                `${url}/other: the server redirects to ${other.host}, which you did not name. To allow it, add --allow-host ${other.host}`,
              );
              assert.equal(other.requests.length, 0);
              assert.equal(await errorOf(`http://user:pw@${host}/other`, [other.host]), null);
              assert.ok(other.requests.every(({ headers }) => headers.authorization === undefined));
            }),
        ),
    );
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
        (await importPlaces(places, { folder, again: false, ...options })).reports.flatMap((report) =>
          report.unchangedSince === null ? [] : [report.file],
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
