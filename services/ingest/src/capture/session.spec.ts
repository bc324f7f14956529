import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { eventually } from '@almanac/testing';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Endpoint } from '../venues/venue-feed.js';
import { openSession, type SessionTimes, sessionTimes } from './session.js';

const quick: SessionTimes = { ...sessionTimes, heartbeatMs: 20, idleTimeoutMs: 60_000, pauseMs: 1, pauseMsMax: 20 };

/** A venue on a free port. It calls `onSocket` for each connection. */
const venue = async (
  context: TestContext,
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
  options: { readonly autoPong?: boolean } = {},
): Promise<string> => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, ...options });
  sockets.on('connection', onSocket);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `ws://127.0.0.1:${port}/trade-api/ws/v2`;
};

const session = (context: TestContext, endpoint: Partial<Endpoint> & { url: string }, times = quick) => {
  const onActivity = {
    frames: [] as string[],
    lost: [] as string[],
    retries: [] as string[],
    pauses: [] as number[],
    opens: 0,
  };
  const opened = openSession(
    { headers: () => ({}), heartbeat: 'ping', ...endpoint },
    {
      onOpen: (send) => {
        onActivity.opens += 1;
        send(`hello ${onActivity.opens}`);
      },
      onFrame: (text) => void onActivity.frames.push(text),
      onLost: (reason) => void onActivity.lost.push(reason),
      onRetry: (reason, pauseMs) => {
        onActivity.retries.push(reason);
        onActivity.pauses.push(pauseMs);
      },
    },
    times,
  );
  context.after(() => opened.close());
  return { onActivity, opened };
};

test('a session that is dropped repeatedly reconnects, reports each loss, and loses no frame of a live connection', async (context) => {
  let connections = 0;
  const url = await venue(context, (socket) => {
    connections += 1;
    const mine = connections;
    socket.on('message', (data: Buffer) => {
      socket.send(`${data.toString('utf8')} answered`);
      if (mine <= 20) socket.close(1012, 'restart');
    });
  });
  const { onActivity } = session(context, { url });
  await eventually(() => assert.strictEqual(onActivity.frames.length, 21));
  assert.deepStrictEqual(
    onActivity.frames,
    Array.from({ length: 21 }, (_, index) => `hello ${index + 1} answered`),
  );
  assert.deepStrictEqual(new Set(onActivity.lost), new Set(['closed with 1012 (restart)']));
  assert.strictEqual(onActivity.lost.length, 20);
  assert.ok(onActivity.pauses.every((pauseMs) => pauseMs <= quick.pauseMsMax * 1.5));
  assert.ok(Math.max(...onActivity.pauses) > quick.pauseMsMax / 2 - 1, 'the pauses grow to their bound');
  assert.ok(new Set(onActivity.pauses.slice(-8)).size > 1, 'and are not in step');
});

test('a refused connection is retried, and reports no loss since none was open', async (context) => {
  const url = await venue(context, () => undefined);
  const refusing = createServer((_, response) => response.writeHead(401).end());
  refusing.on('upgrade', (_, socket) => {
    // The client may reset the connection at the end of the test.
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  });
  await new Promise<void>((resolve) => void refusing.listen(0, '127.0.0.1', resolve));
  context.after(() => refusing.close());
  const { port } = refusing.address() as AddressInfo;
  const { onActivity } = session(context, { url: url.replace(/:\d+/, `:${port}`) });
  await eventually(() => assert.ok(onActivity.retries.length >= 3));
  assert.deepStrictEqual([onActivity.opens, onActivity.lost], [0, []]);
  assert.match(onActivity.retries[0] ?? '', /401/);
});

test('a connection that answers no heartbeats is closed as silent', async (context) => {
  const url = await venue(context, () => undefined, { autoPong: false });
  const { onActivity } = session(context, { url }, { ...quick, idleTimeoutMs: 100 });
  await eventually(() => assert.deepStrictEqual(onActivity.lost[0], 'silent for 100 ms'));
  await eventually(() => assert.ok(onActivity.opens >= 2));
});

test('a connection without messages stays open while heartbeats are answered, and the answers are no frames', async (context) => {
  let heartbeats = 0;
  const url = await venue(context, (socket) => {
    socket.on('message', (data: Buffer) => {
      if (data.toString('utf8') !== 'PING') return;
      heartbeats += 1;
      socket.send(heartbeats === 30 ? 'news' : 'PONG');
    });
  });
  const heartbeat = { text: 'PING', answer: 'PONG' };
  const { onActivity } = session(context, { url, heartbeat }, { ...quick, idleTimeoutMs: 15_000 });
  await eventually(() => assert.deepStrictEqual(onActivity.frames, ['news']));
  assert.deepStrictEqual([onActivity.opens, onActivity.lost], [1, []]);
});

test('a session that was held back continues at its position, and a closed one delivers nothing more', async (context) => {
  let opened: WebSocket | undefined;
  const url = await venue(context, (socket) => void (opened = socket));
  const { onActivity, opened: held } = session(context, { url });
  await eventually(() => assert.ok(opened));
  held.holdBack(true);
  const pongs = new Promise((resolve) => opened?.once('pong', resolve));
  for (let frame = 0; frame < 100; frame += 1) opened?.send(String(frame));
  held.holdBack(false);
  opened?.ping();
  await pongs;
  assert.deepStrictEqual(
    onActivity.frames,
    Array.from({ length: 100 }, (_, frame) => String(frame)),
  );
  await held.close();
  assert.deepStrictEqual(onActivity.lost, [], 'what is ended on purpose is not lost');
});
