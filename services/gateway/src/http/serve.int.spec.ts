import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import express from 'express';
import { z } from 'zod';
import { createEventStreams } from './event-streams.js';
import { overloadCounter } from './metrics.js';
import { serveHttp } from './serve.js';

/** Runs `use` with a connection to a server. */
const withConnection = async (app: RequestListener, use: (socket: Socket) => Promise<void>): Promise<void> => {
  const server = await serveHttp(app, {
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
    await use(connect(port, '127.0.0.1'));
  } finally {
    await server.stop();
  }
};

/** Answers `/slow` late, and each request with its body after a dash. */
const echo: RequestListener = (request, response) => {
  const answer = async (): Promise<void> => {
    const body = await buffer(request);
    if (request.url === '/slow') await delay(100);
    response.end(Buffer.concat([Buffer.from('-'), body]));
  };
  void answer();
};

const requestOf = (method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

/** Of what a connection received: status lines and bodies, without the other headers. */
const summaryOf = (received: string): string[] =>
  received.split(/(?=HTTP\/1\.1 )/).map((part) => {
    const end = part.indexOf('\r\n\r\n');
    return `${part.slice('HTTP/1.1 '.length, part.indexOf('\r\n'))}${part.slice(end + 4)}`;
  });

describe('the HTTP server', () => {
  it('ends a connection whose headers do not arrive in time', { timeout: 30_000 }, async () => {
    await withConnection(echo, async (socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
      assert.match((await buffer(socket)).toString(), /^HTTP\/1\.1 408 /);
    });
  });

  it('puts no 100 Continue into the answer of a request behind another', { timeout: 30_000 }, async () => {
    await withConnection(echo, async (socket) => {
      socket.write(requestOf('GET', '/slow') + requestOf('GET', '/', 'Expect: 100-continue', 'Connection: close'));
      assert.deepEqual(summaryOf((await buffer(socket)).toString()), ['200 OK-', '200 OK-']);
    });
  });

  it('tells a request behind another to continue when its turn comes', { timeout: 30_000 }, async () => {
    await withConnection(echo, async (socket) => {
      const headers = ['Expect: 100-continue', 'Content-Length: 4', 'Connection: close'];
      socket.write(requestOf('GET', '/slow') + requestOf('POST', '/', ...headers));
      let received = '';
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
        if (text.includes(' 100 Continue\r\n\r\n')) socket.write('body');
      });
      await once(socket, 'close');
      assert.deepEqual(summaryOf(received), ['200 OK-', '100 Continue', '200 OK-body']);
    });
  });

  it('refuses a body before it is sent, and closes the connection', { timeout: 30_000 }, async () => {
    const refuse: RequestListener = (_request, response) =>
      void response.writeHead(401, { 'Content-Length': 2 }).end('no');
    for (const body of ['Content-Length: 4', 'Transfer-Encoding: chunked']) {
      await withConnection(refuse, async (socket) => {
        socket.write(requestOf('POST', '/', 'Expect: 100-continue', body));
        assert.deepEqual(summaryOf((await buffer(socket)).toString()), ['401 Unauthorizedno']);
      });
    }
  });

  it('refuses a request with two hosts, and one without', { timeout: 30_000 }, async () => {
    for (const request of [requestOf('GET', '/', 'host: b'), 'GET / HTTP/1.1\r\n\r\n']) {
      await withConnection(echo, async (socket) => {
        socket.write(request);
        assert.match((await buffer(socket)).toString(), /^HTTP\/1\.1 400 [^]*exactly one Host header/);
      });
    }
    await withConnection(echo, async (socket) => {
      socket.write('GET / HTTP/1.0\r\n\r\n');
      assert.match((await buffer(socket)).toString(), /^HTTP\/1\.1 200 /);
    });
  });
});

it('a stream without events sends heartbeats, so that its connection stays open', async () => {
  const streams = createEventStreams({ keepAliveMs: 5 });
  const app = express().get('/', (_request, response) => void streams.open(response, 'a', () => undefined));
  await withConnection(app, async (socket) => {
    socket.write(requestOf('GET', '/', 'Connection: close'));
    let received = '';
    for await (const part of socket.setEncoding('utf8')) {
      received += String(part);
      if (received.split(':\n\n').length > 3) streams.stop();
    }
    assert.match(received, /retry: 1\d{3}\n\n[^]*:\n\n[^]*:\n\n[^]*:\n\n/);
  });
});
