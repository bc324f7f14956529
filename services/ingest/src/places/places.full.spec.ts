// In the full run: 300 MB over HTTP, and 10,000 objects of an S3 server. places.spec.ts and s3.int.spec.ts have the small versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { dryRunArchive } from '../archive.js';
import { runImport } from '../import/run-import.js';
import { withFolder } from '../import/testing/with-folder.js';
import { importPlaces, quoteMapping, quotes } from './testing/import-places.js';
import { withServer } from './testing/object-server.js';
import { inLanes, testBucket } from './testing/test-bucket.js';

const header = Buffer.from('t,at,bid,x\n');
/** All rows have one length, so that the server makes any range of the file when it is requested. */
const rowOf = (row: number): string => `KXA-26AUG10-A,${1_786_399_201 + row},0.${10 + (row % 80)},${'x'.repeat(68)}\n`;
const rowBytes = rowOf(0).length;

function* fileFrom(start: number, size: number): Generator<Buffer, void, undefined> {
  if (start < header.length) yield header.subarray(start);
  const at = Math.max(0, start - header.length);
  const first = Math.floor(at / rowBytes);
  const rows = (size - header.length) / rowBytes;
  for (let row = first; row < rows; row += 1_000) {
    const text = Array.from({ length: Math.min(1_000, rows - row) }, (_, index) => rowOf(row + index)).join('');
    yield Buffer.from(row === first ? text.slice(at % rowBytes) : text);
  }
}

test('memory stays flat: 300 MB over a connection that breaks add less than 60 MB', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const memoryMb = (): number => {
    Reflect.apply(collect, undefined, []);
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const rows = 3_000_000;
  const size = header.length + rows * rowBytes;
  let answers = 0;
  await withServer(
    (request, response) => {
      answers += 1;
      const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      const end = to === '' ? size : Math.min(size, Number(to) + 1);
      response.writeHead(206, {
        etag: '"x"',
        'content-length': end - Number(from),
        'content-range': `bytes ${from}-${end - 1}/${size}`,
      });
      const send = async (): Promise<void> => {
        let left = end - Number(from);
        let sent = 0;
        for (const block of fileFrom(Number(from), size)) {
          const wanted = block.subarray(0, left);
          left -= wanted.length;
          sent += wanted.length;
          await new Promise((resolve) => response.write(wanted, resolve));
          if (left === 0 || response.destroyed) break;
          if (sent > 50_000_000) return void response.socket?.resetAndDestroy();
        }
        response.end();
      };
      void send();
    },
    ({ url }) =>
      withFolder(async (folder) => {
        const before = memoryMb();
        let [peak, calls] = [before, 0];
        const { reports } = await runImport([`${url}/large.csv`], {
          archive: {
            ...dryRunArchive,
            storeObservations: async () => {
              await turn();
              calls += 1;
              if (calls % 20 === 0) peak = Math.max(peak, memoryMb());
            },
          },
          mappings: quoteMapping,
          refusedFolder: folder,
          startedAt: new Date(0),
          places: { environment: {}, firstPauseMs: 1 },
        });
        const [report] = reports;
        assert.deepEqual([report?.error, report?.refusals, report?.observationsStored], [null, 0, rows]);
        assert.ok(answers > 6, `${answers} answers`);
        assert.ok(calls > 50 && peak - before < 60, `${calls} calls, ${peak - before} MB more`);
      }),
  );
});

test('10,000 objects below a prefix are all read, and all skipped by the next import', async () => {
  const s3 = await testBucket();
  try {
    const keys = Array.from({ length: 10_000 }, (_, at) => `many/day=${at % 50}/${String(at).padStart(5, '0')}.csv`);
    await inLanes(keys, async (key) => s3.put(key, quotes(`KXA-26AUG10-A${key.slice(-9, -4)}`, 1)));
    await withFolder(async (folder) => {
      const places = { environment: s3.environment };
      const read = async () => importPlaces([`s3://${s3.bucket}/many/**/*.csv`], { folder, places, again: false });
      const first = await read();
      assert.deepEqual([first.reports.length, first.rows.size], [10_000, 10_000]);
      assert.ok(first.reports.every(({ error }) => error === null));
      const second = await read();
      assert.equal(second.reports.filter(({ unchangedSince }) => unchangedSince !== null).length, 10_000);
    });
  } finally {
    await s3.stop();
  }
});
