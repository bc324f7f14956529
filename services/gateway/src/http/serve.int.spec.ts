import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { overloadCounter } from './metrics.js';
import { serveHttp } from './serve.js';

describe('the HTTP server', () => {
  it('ends a connection whose headers do not arrive in time', { timeout: 30_000 }, async () => {
    const server = await serveHttp((_request, response) => response.end(), {
      HOST: '127.0.0.1',
      PORT: 0,
      STOP_DELAY_MS: 0,
      CONNECTIONS_MAX: 10,
      CLIENT_STALL_S: 60,
      overload: overloadCounter(new Registry()),
      headersTimeoutMs: 500,
    });
    try {
      const { port } = z.object({ port: z.int() }).parse(server.address);
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
      const chunks: Buffer[] = [];
      for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 /);
    } finally {
      await server.stop();
    }
  });
});
