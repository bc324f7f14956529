import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFolder } from '../import/testing/with-folder.js';
import { importPlaces, quotes } from './testing/import-places.js';
import { quoteParquet } from './testing/quote-file.js';
import { serveObject, type ServedOptions, withServer } from './testing/object-server.js';

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

  it('that breaks is an error if it never gets further, or if nothing shows that the rest is of the same object', async () => {
    const errorOf = async (options: ServedOptions) =>
      withServer(
        (request, response) => serveObject(request, response, bytes, { ...options, cutAfter: 500_000 }),
        ({ url }) =>
          withFolder(async (folder) => (await importPlaces([`${url}/a.csv`], { folder })).reports[0]?.error ?? ''),
      );
    assert.match(await errorOf({ hasRanges: false }), /a\.csv: the connection failed .*, also at attempt 7 of 7$/);
    for (const hasRanges of [true, false])
      assert.match(await errorOf({ hasRanges, etag: null }), /states neither an ETag nor a time, so the rest may be/);
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

  it('to a host that does not exist is an error at once', async () => {
    await withFolder(async (folder) => {
      const { reports, waits } = await importPlaces(['https://nowhere.invalid/a.csv'], { folder });
      assert.match(
        reports[0]?.error ?? '',
        /^https:\/\/nowhere\.invalid\/a\.csv: there is no connection to this host .*\. Check the address$/,
      );
      assert.deepEqual(waits, []);
    });
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
          const skipped = next.reports.filter(({ unchangedSince }) => unchangedSince !== null);
          assert.deepEqual(
            skipped.map(({ file, unchangedSince }) => [file, unchangedSince]),
            [[`${url}/b.csv`, '1970-01-01T00:00:00.000Z']],
          );
          assert.equal(next.reports.length, 2);
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

  it('is followed from its start again when its end refuses', async () => {
    const file = quoteParquet(400_000);
    let [redirects, answers] = [0, 0];
    await withServer(
      (request, response) => {
        if (request.url === '/start') {
          redirects += 1;
          return void response.writeHead(302, { location: `/signed/${redirects}` }).end();
        }
        answers += 1;
        // The first link ends after three answers.
        if (request.url === '/signed/1' && answers > 3) response.writeHead(403).end();
        else serveObject(request, response, file);
      },
      ({ url }) =>
        withFolder(async (folder) => {
          const { reports } = await importPlaces([`${url}/start`], { folder });
          assert.deepEqual([reports[0]?.error, reports[0]?.observationsStored], [null, 400_000]);
          assert.equal(redirects, 2);
        }),
    );
  });
});
