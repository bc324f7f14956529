// Of the full run: it measures memory, and moves 700 MB.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { testS3 } from '@almanac/testing';
import { connectObjectStore } from './index.js';

const mib = 1_024 * 1_024;
const contentType = 'text/csv';
const link = { expiresInS: 60, filename: 'a.csv', contentType, public: false };

const chunksOf = function* (count: number, onChunk: () => void): Generator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) {
    onChunk();
    yield Buffer.alloc(mib, `chunk ${sent} `);
  }
};

it('an object store holds no more memory for 300 MB than for 50 MB, here and in the server', async () => {
  const s3 = await testS3();
  const store = connectObjectStore({ ...s3, endpoint: s3.url, region: 'us-east-1' });
  await store.ensureBucket();
  const cycle = async (megabytes: number): Promise<{ here: number; server: number }> => {
    let here = 0;
    const watch = (): void => {
      here = Math.max(here, process.memoryUsage().rss);
    };
    await store.putStream('flat', Readable.from(chunksOf(megabytes, watch)), { contentType });
    const { body } = await fetch(await store.presignGet('flat', link));
    for await (const _ of body ?? assert.fail()) watch();
    return { here, server: await peakMemory(s3.pid) };
  };
  const small = await cycle(50);
  const large = await cycle(300);
  assert.ok(large.here - small.here < 64 * mib, `here ${small.here} -> ${large.here}`);
  assert.ok(large.server - small.server < 64 * mib, `server ${small.server} -> ${large.server}`);
  store.close();
  await s3.stop();
});

/** The peak memory of the process in bytes. */
const peakMemory = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1_024;
};
