import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { testTls } from '@almanac/testing';
import { contentOf } from '../import/testing/archive-content.js';
import { joinedFiles } from '../import/testing/joined-files.js';
import { memoryArchive } from '../import/testing/memory-archive.js';
import { withFolder } from '../import/testing/with-folder.js';
import { importPlaces } from './testing/import-places.js';
import { serveObject } from './testing/object-server.js';
import { testBucket } from './testing/test-bucket.js';

type Content = ReturnType<typeof contentOf>;

/** The catalogue before and after the frames, in one import or in two. In the latter, the frames wait for the catalogue. */
const orders = [
  [['gamma.json', 'frames.jsonl']],
  [['frames.jsonl', 'gamma.json']],
  [['gamma.json'], ['frames.jsonl']],
  [['frames.jsonl'], ['gamma.json']],
] as const;

describe('frames by token in one object and their catalogue in another', () => {
  let local: Content;
  before(async () => {
    local = await withFolder(async (folder) => {
      const paths = Object.keys(joinedFiles).map((name) => join(folder, name));
      for (const [name, text] of Object.entries(joinedFiles)) await writeFile(join(folder, name), text);
      return contentOf(await importPlaces(paths, { folder, mapping: null }));
    });
    assert.deepEqual([local.rows.length, local.trades.length], [2, 1]);
  });

  describe('of a bucket', () => {
    let s3: Awaited<ReturnType<typeof testBucket>>;
    before(async () => {
      s3 = await testBucket();
      for (const [name, text] of Object.entries(joinedFiles)) await s3.put(`joined/${name}`, text);
    });
    after(() => s3.stop());

    for (const order of orders) {
      it(`give the archive of the local folder: ${order.map((names) => names.join(' and ')).join(', then ')}`, async () => {
        await withFolder(async (folder) => {
          const into = memoryArchive();
          for (const names of order) {
            const places = names.map((name) => `s3://${s3.bucket}/joined/${name}`);
            await importPlaces(places, { folder, into, mapping: null, places: { environment: s3.environment } });
          }
          assert.deepEqual(contentOf(into), local);
        });
      });
    }

    it('are found below a prefix, too', async () => {
      await withFolder(async (folder) => {
        const places = { environment: s3.environment };
        const found = await importPlaces([`s3://${s3.bucket}/joined/`], { folder, mapping: null, places });
        assert.deepEqual(contentOf(found), local);
      });
    });
  });

  it('of an https server with a certificate of NODE_EXTRA_CA_CERTS give it, too, and otherwise an error', async () => {
    const [key, cert] = await Promise.all([readFile(testTls.key), readFile(testTls.certificate)]);
    const server = createServer({ key, cert }, (request, response) => {
      const name = request.url?.slice(1) as keyof typeof joinedFiles;
      serveObject(request, response, Buffer.from(joinedFiles[name]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = (name: string): string => `https://127.0.0.1:${port}/${name}`;
    try {
      await withFolder(async (folder) => {
        const { reports } = await importPlaces([url('gamma.json')], { folder, mapping: null });
        assert.match(
          reports[0]?.error ?? '',
          /gamma\.json: .*certificate.*\. To trust its authority, set NODE_EXTRA_CA_CERTS to a file with its certificate$/,
        );
      });
      const found = await contentsOfProcess(orders.map((order) => order.map((names) => names.map(url))));
      assert.deepEqual(
        found,
        orders.map(() => local),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

/** The archive of each list of imports. Node reads NODE_EXTRA_CA_CERTS when a process starts. */
const contentsOfProcess = async (archives: readonly (readonly (readonly string[])[])[]): Promise<unknown> => {
  const here = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { contentOf } from ${here('../import/testing/archive-content.js')};
    import { memoryArchive } from ${here('../import/testing/memory-archive.js')};
    import { withFolder } from ${here('../import/testing/with-folder.js')};
    import { importPlaces } from ${here('testing/import-places.js')};
    const contentAfter = (imports) => withFolder(async (folder) => {
      const into = memoryArchive();
      for (const places of imports) await importPlaces(places, { folder, into, mapping: null });
      return contentOf(into);
    });
    console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(contentAfter))));
  `;
  const args = ['--input-type=module', '-e', program, JSON.stringify(archives)];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: testTls.authority };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout);
};
