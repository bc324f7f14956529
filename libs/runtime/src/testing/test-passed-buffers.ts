import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { tuneGarbageCollection } from '../gc-tuning.js';
import { countPassedBytes } from '../passed-buffers.js';

const pieces = 512;
const pieceBytes = 1_048_576;

const serve = async (): Promise<void> => {
  const piece = Buffer.alloc(pieceBytes, 'x');
  const server = createServer((_request, response) => {
    const send = async (): Promise<void> => {
      for (let sent = 0; sent < pieces; sent += 1) if (!response.write(piece)) await once(response, 'drain');
      response.end();
    };
    void send();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
};

/** Reads 512 MB from a server, passes them on, and prints how many MB of buffers there were at most. */
const passOn = async (count: (bytes: number) => void): Promise<void> => {
  tuneGarbageCollection();
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [port] = (await once(server, 'message')) as [number];
  const [upstream] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  let peakBytes = 0;
  const passed = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of upstream as AsyncIterable<Buffer>) {
      count(chunk.length);
      peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
      yield chunk;
    }
  };
  const client = new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done) });
  await pipeline(passed(), client);
  server.kill();
  process.stdout.write(JSON.stringify({ peakMb: peakBytes / 2 ** 20 }));
};

/** A test process. With the argument `uncounted`, it does not count what it passes on. */
const [, , mode] = process.argv;
await (mode === 'serve' ? serve() : passOn(mode === 'uncounted' ? () => undefined : countPassedBytes));
