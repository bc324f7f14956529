// Of the full run: it measures memory, and sends 700 MB.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testClickHouse } from '@almanac/testing';
import { connectClickHouse, stream } from './index.js';

it('a ClickHouse server sends millions of rows to a slow reader without growing', async () => {
  const server = await testClickHouse({ hasTables: false });
  const clickhouse = connectClickHouse({ url: server.url, username: server.username, password: server.password });
  const body = await stream(clickhouse, {
    sql: `SELECT number, 'sink_of_numbers' FROM numbers(30000000) FORMAT CSVWithNames`,
  });
  const memory = async (): Promise<number> =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
  const first: unknown[] = await once(body, 'data');
  body.pause();
  assert.match(String(first[0]), /^"number","'sink_of_numbers'"\n0,/);
  const start = await memory();
  let bytesRead = 0;
  let peak = start;
  await pipeline(
    body,
    new Writable({
      write: (chunk: Buffer, _encoding, next) => {
        const slow = Math.floor(bytesRead / 50e6) !== Math.floor((bytesRead + chunk.length) / 50e6);
        bytesRead += chunk.length;
        if (!slow) return next();
        // Time for an unbounded buffer to fill.
        void pause(150).then(async () => {
          peak = Math.max(peak, await memory());
          next();
        });
      },
    }),
  );
  assert.ok(bytesRead > 700e6, `${bytesRead} bytes`);
  assert.ok(peak - start < 100, `grew from ${start} to ${peak} MB`);
  await clickhouse.close();
  await server.stop();
});
