import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { chunkBytes, chunkWindow, type RpcReply } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import express, { type Response } from 'express';
import type { AnswerMemory } from './answer-memory.js';
import { pipeReply } from './reply.js';

/** More than the buffers of both systems take on the way to a client. */
const manyChunks = 400;

describe('a long reply that passes through', () => {
  let server: Server;
  let reply: ReturnType<typeof replyOf>;
  let memory: AnswerMemory;
  let sent: Response;
  before(async () => {
    const app = express();
    app.use((_request, response) => {
      sent = response;
      const headers = { 'Content-Type': 'text/csv' };
      const { rest } = reply;
      pipeReply(response, { reply, rest, encoding: undefined, notices: [], memory }, { headers }).catch(
        () => undefined,
      );
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const replyOf = (chunks: number) => {
    const seen = { produced: 0, closed: 0, aheads: new Array<number>() };
    const rest = async function* () {
      try {
        for (; seen.produced < chunks;) {
          seen.produced += 1;
          yield Buffer.alloc(chunkBytes);
        }
      } finally {
        seen.closed += 1;
      }
    };
    const readAhead = (ahead: number): void => void seen.aheads.push(ahead);
    return {
      meta: {},
      first: new Uint8Array(),
      totalBytes: Infinity,
      rest: rest(),
      readAhead,
      seen,
    } satisfies RpcReply & {
      seen: object;
    };
  };
  const memoryThat = (extend: AnswerMemory['extend']): AnswerMemory => ({ extend, release: () => undefined });
  const open = async (chunks = manyChunks): Promise<IncomingMessage> => {
    reply = replyOf(chunks);
    const { port } = server.address() as AddressInfo;
    const request = get({ port, agent: false });
    const [client] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    client.on('error', () => undefined);
    return client;
  };
  /** What was read of the reply and not taken by the system. */
  const heldChunks = (): number => {
    const { socket } = sent;
    const taken = socket === null ? 0 : socket.bytesWritten - socket.writableLength;
    return reply.seen.produced - Math.floor(taken / chunkBytes);
  };
  /** Until nothing was produced for a while. */
  const stalled = async (): Promise<void> => {
    let [known, since] = [-1, 0];
    await eventually(() => {
      const now = performance.now();
      if (reply.seen.produced !== known) [known, since] = [reply.seen.produced, now];
      assert.ok(known > 1 && now - since > 400, `${known} chunks`);
    });
  };

  it('is ended when its client leaves, so that nothing of it is held', async () => {
    memory = memoryThat(() => () => undefined);
    const client = await open();
    await stalled();
    client.destroy();
    await eventually(() => assert.equal(reply.seen.closed, 1));
  });

  it('has one chunk in memory while its client does not read', async () => {
    memory = memoryThat(() => undefined);
    const client = await open();
    await stalled();
    assert.deepEqual(reply.seen.aheads, [1]);
    assert.ok(heldChunks() <= 1, `${heldChunks()} chunks`);
    client.destroy();
  });

  it('is read ahead for a client that reads quickly, while there is memory for it', async () => {
    let [extended, released] = [0, 0];
    memory = memoryThat(() => {
      extended += 1;
      return () => (released += 1);
    });
    const client = await open();
    client.resume();
    await eventually(() => assert.deepEqual(reply.seen.aheads, [1, chunkWindow]));
    client.pause();
    await stalled();
    assert.deepEqual([extended, released], [1, 0]);
    client.resume();
    await once(client, 'end');
    assert.deepEqual(reply.seen.aheads.slice(0, 3), [1, chunkWindow, 1]);
    assert.ok(released > 0);
  });
});
