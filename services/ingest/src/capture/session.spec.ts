import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '@almanac/testing';
import type { WebSocket } from 'ws';
import type { Endpoint } from '../venues/venue-feed.js';
import { openSession, type SessionTimes, sessionTimes } from './session.js';
import { fakeVenue, type FakeVenueOptions } from './testing/fake-venue.js';

const quick: SessionTimes = { ...sessionTimes, heartbeatMs: 20, idleTimeoutMs: 60_000, pauseMs: 1, pauseMsMax: 20 };

const venue = async (context: TestContext, options: FakeVenueOptions): Promise<string> => {
  const { url, close } = await fakeVenue(options);
  context.after(close);
  return url('ws', '/trade-api/ws/v2');
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
  const url = await venue(context, {
    onSocket: () => void (connections += 1),
    onMessage: (socket, text) => {
      socket.send(`${text} answered`);
      if (connections <= 20) socket.close(1012, 'restart');
    },
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
  const url = await venue(context, { verifyClient: () => false });
  const { onActivity } = session(context, { url });
  await eventually(() => assert.ok(onActivity.retries.length >= 3));
  assert.deepStrictEqual([onActivity.opens, onActivity.lost], [0, []]);
  assert.match(onActivity.retries[0] ?? '', /401/);
});

test('a connection that answers no heartbeats is closed as silent', async (context) => {
  const url = await venue(context, { autoPong: false });
  const { onActivity } = session(context, { url }, { ...quick, idleTimeoutMs: 100 });
  await eventually(() => assert.deepStrictEqual(onActivity.lost[0], 'silent for 100 ms'));
  await eventually(() => assert.ok(onActivity.opens >= 2));
});

test('a connection without messages stays open while heartbeats are answered, and the answers are no frames', async (context) => {
  let heartbeats = 0;
  const url = await venue(context, {
    onMessage: (socket, text) => {
      if (text !== 'PING') return;
      heartbeats += 1;
      socket.send(heartbeats === 30 ? 'news' : 'PONG');
    },
  });
  const heartbeat = { text: 'PING', answer: 'PONG' };
  const { onActivity } = session(context, { url, heartbeat });
  await eventually(() => assert.deepStrictEqual(onActivity.frames, ['news']));
  assert.deepStrictEqual([onActivity.opens, onActivity.lost], [1, []]);
});

test('a session that was held back continues at its position, and a closed one delivers nothing more', async (context) => {
  let opened: WebSocket | undefined;
  const url = await venue(context, { onSocket: (socket) => void (opened = socket) });
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
