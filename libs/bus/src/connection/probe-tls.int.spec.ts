import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { testTls } from '@almanac/testing';
import { probeTls } from './probe-tls.js';

/** What the probe says of a server that answers each connection so. */
const probed = async (answer: (socket: Socket) => void): Promise<string | null> => {
  const server = createServer((socket) => answer(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return await probeTls(`nats://127.0.0.1:${port}`, { caFile: testTls.authority });
  } finally {
    server.close();
  }
};
const offersTls = 'INFO {"tls_required":true}\r\n';

describe('the probe of TLS', () => {
  it('ends without a fault, and without an error of its process, if the server resets the connection', async () => {
    for (const waitMs of [0, 0, 0, 1, 2, 5]) {
      const fault = await probed((socket) => {
        socket.write(offersTls, () => setTimeout(() => socket.resetAndDestroy(), waitMs));
      });
      assert.equal(fault, null);
    }
  });

  it('ends without a fault if the server closes the connection, says nothing, or nothing that it can read', async () => {
    for (const answer of [
      (socket: Socket) => socket.end(offersTls),
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.resetAndDestroy(),
      () => undefined,
      (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (socket: Socket) => socket.end('INFO {"tls_required"\r\n'),
    ])
      assert.equal(await probed((socket) => void answer(socket)), null);
  });
});
