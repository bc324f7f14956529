import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { overloadCounter } from './metrics.js';
import { type HttpServer, serveHttp } from './serve.js';
import { unreadAtOnce } from './unread-bodies.js';

const bytes = 1_048_576;
const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;

describe('the bodies of refused requests', { timeout: 120_000 }, () => {
  let server: HttpServer;
  let port: number;
  before(async () => {
    server = await serveHttp((_request, response) => void response.writeHead(413, { 'Content-Length': 0 }).end(), {
      HOST: '127.0.0.1',
      PORT: 0,
      STOP_DELAY_MS: 0,
      CONNECTIONS_MAX: 1_000,
      CLIENT_STALL_S: 60,
      overload: overloadCounter(new Registry()),
    });
    ({ port } = z.object({ port: z.int() }).parse(server.address));
  });
  after(() => server.stop());

  /** A client that sends the head and a part of a body. */
  const sender = async (sent: number): Promise<{ socket: Socket; received: () => string }> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    socket.write(head);
    socket.write(Buffer.alloc(sent));
    return { socket, received: () => text };
  };
  const answersIn = (text: string): number => text.split('HTTP/1.1 413').length - 1;

  it('are read to their end, and the connection serves its next request', async () => {
    const { socket, received } = await sender(bytes);
    await eventually(() => assert.equal(answersIn(received()), 1));
    socket.write(head);
    await eventually(() => assert.equal(answersIn(received()), 2));
    socket.destroy();
  });

  it('are few at a time: other connections are closed, and once these end there is room again', async () => {
    const senders = await Promise.all(Array.from({ length: 3 * unreadAtOnce }, () => sender(1_000)));
    const open = () => senders.filter(({ socket }) => !socket.destroyed);
    await eventually(() => assert.equal(open().length, unreadAtOnce));
    await eventually(() => assert.ok(open().every(({ received }) => answersIn(received()) === 1)));
    for (const { socket } of open()) socket.destroy();
    await eventually(async () => {
      const { socket, received } = await sender(1_000);
      await eventually(() => assert.equal(answersIn(received()), 1));
      const isOpen = !socket.destroyed;
      socket.destroy();
      assert.ok(isOpen);
    });
  });
});
