import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { eventually, tcpLink } from '@almanac/testing';
import { z } from 'zod';
import { connectBus, type Running } from '../bus.js';
import { bytesOf, rpcClient, type RpcClient, type RpcReply } from './rpc-client.js';
import { Reply, StreamReply } from './rpc-reply.js';
import type { Handlers } from './handlers.js';
import { chunked } from './rpc-stream.js';
import { serveContracts } from './serve-contracts.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
import { chunkBytes, chunkStallMs, chunkWindow, longRepliesBytesMax } from './rpc-wire.js';

const streaming = contract({
  service: 'timeseries',
  method: 'snapshots',
  kind: 'query',
  input: z.object({
    chunks: z.int(),
    /** The pause before the chunk with this number. */
    pauseAt: z.int().default(-1),
    pauseMs: z.int().default(0),
    failAt: z.int().default(-1),
  }),
  output: z.unknown(),
  errors: [],
  timeoutMs: 2_000,
});
type Input = z.input<typeof streaming.input>;

let produced = 0;
let abandoned = 0;
let closed = 0;

const streams = { answer: streaming };
const streamsHandlers: Handlers<typeof streams> = {
  answer({ chunks, pauseAt, pauseMs, failAt }) {
    const life = new AbortController();
    const rest = async function* () {
      try {
        for (let index = 1; index < chunks; index += 1) {
          if (index === pauseAt) await delay(pauseMs, undefined, { signal: life.signal });
          if (index === failAt) throw new DomainError('unavailable', 'The archive failed.');
          if (life.signal.aborted) throw new DomainError('unavailable', 'The process stops.');
          produced += 1;
          yield Buffer.alloc(chunkBytes, index);
        }
        return { count: chunks, name: 'é' };
      } finally {
        closed += 1;
      }
    };
    const abandon = (): void => {
      if (!life.signal.aborted) abandoned += 1;
      life.abort();
    };
    return new StreamReply({ version: 7 }, { first: Buffer.alloc(chunkBytes), rest: rest(), abandon });
  },
};

const log = { error: () => undefined, warn: () => undefined, debug: () => undefined };
const unavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

describe('a reply of unknown length', () => {
  let nats: TestBus;
  let client: RpcClient;
  let serving: Running;
  before(async () => {
    nats = await startTestBus();
    serving = await serveContracts(await nats.connect('timeseries'), streams, streamsHandlers, log);
    client = rpcClient(await nats.connect('gateway'));
  });
  after(async () => {
    await serving.stop();
    await nats.stop();
  });

  const request = (input: Input): Promise<RpcReply> => {
    [produced, abandoned, closed] = [0, 0, 0];
    return client.forward(streaming, { input, context: { requestId: 'r' } });
  };
  const restOf = ({ rest }: RpcReply): AsyncIterable<Uint8Array> => {
    if (rest === undefined) throw new Error('the reply has only one chunk');
    return rest;
  };
  const numbersOf = async (reply: RpcReply): Promise<number[]> => {
    const numbers = [reply.first[0] ?? -1];
    for await (const chunk of restOf(reply)) numbers.push(chunk.length === chunkBytes ? (chunk[0] ?? -1) : -1);
    return numbers;
  };

  it('arrives in order, and its trailer after the last byte', async () => {
    const reply = await request({ chunks: 40 });
    assert.deepEqual([reply.meta, reply.totalBytes, reply.trailer?.()], [{ version: 7 }, Infinity, undefined]);
    assert.deepEqual(await numbersOf(reply), [...Array(40).keys()]);
    assert.deepEqual(reply.trailer?.(), { count: 40, name: 'é' });
    await eventually(() => assert.equal(closed, 1));
  });

  it('is produced no faster than it is read', async () => {
    const reply = await request({ chunks: 200 });
    const reader = restOf(reply)[Symbol.asyncIterator]();
    for (let read = 1; read <= 3; read += 1) {
      await reader.next();
      await delay(200);
      assert.ok(produced <= read + chunkWindow, `${produced} chunks produced, ${read} read`);
    }
    await reader.return?.();
    await eventually(() => assert.deepEqual([abandoned, closed], [1, 1]));
    assert.ok(produced < 20);
  });

  it('is requested one by one if its reader wants that', async () => {
    const reply = await request({ chunks: 200 });
    reply.readAhead?.(1);
    const reader = restOf(reply)[Symbol.asyncIterator]();
    for (let read = 1; read <= 3; read += 1) {
      await reader.next();
      await delay(200);
      assert.equal(produced, read);
    }
    reply.readAhead?.(chunkWindow);
    await reader.next();
    await eventually(() => assert.equal(produced, 3 + chunkWindow));
    await reader.return?.();
  });

  it('waits for a slow producer and a slow reader, longer than for a lost one', { timeout: 60_000 }, async () => {
    const reply = await request({ chunks: 20, pauseAt: 3, pauseMs: chunkStallMs + 2_000 });
    const numbers = [0];
    for await (const chunk of restOf(reply)) {
      numbers.push(chunk[0] ?? -1);
      if (numbers.length === 8) await delay(chunkStallMs + 2_000);
    }
    assert.deepEqual(numbers, [...Array(20).keys()]);
    assert.equal(reply.trailer?.()?.['count'], 20);
  });

  it('fails with the error of its producer, and then has no trailer', async () => {
    const reply = await request({ chunks: 20, failAt: 9 });
    await assert.rejects(numbersOf(reply), (error) => unavailable(error) && /archive failed/.test(String(error)));
    assert.deepEqual([produced, reply.trailer?.()], [8, undefined]);
  });

  it('is abandoned when its reader cancels it, and when nobody reads it', { timeout: 60_000 }, async () => {
    (await request({ chunks: 20 })).cancelRest?.();
    await eventually(() => assert.deepEqual([abandoned, closed], [1, 0]));
    await request({ chunks: 20 });
    await eventually(() => assert.equal(abandoned, 1), { timeoutMs: 20_000 });
  });

  it('fails at once when its process is gone', async () => {
    const bus = await nats.connect('timeseries');
    await serving.stop();
    const doomed = await serveContracts(bus, streams, streamsHandlers, log);
    const reply = await request({ chunks: 20, pauseAt: 3, pauseMs: 30_000 });
    const reader = restOf(reply)[Symbol.asyncIterator]();
    await reader.next();
    await bus.nc.close();
    await assert.rejects(async () => {
      while ((await reader.next()).done !== true);
    }, unavailable);
    await doomed.stop();
    serving = await serveContracts(await nats.connect('timeseries'), streams, streamsHandlers, log);
  });

  it('is cut with an error when its process stops before its end', { timeout: 60_000 }, async () => {
    const reply = await request({ chunks: 100 });
    const reader = restOf(reply)[Symbol.asyncIterator]();
    await reader.next();
    await serving.stop();
    await assert.rejects(async () => {
      while ((await reader.next()).done !== true);
    }, unavailable);
    serving = await serveContracts(await nats.connect('timeseries'), streams, streamsHandlers, log);
  });
});

const allOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
};

describe('chunks of a stream', () => {
  it('have the size of a message, whatever the pieces', async () => {
    const sizes = [10, chunkBytes - 10, 0, 3 * chunkBytes + 5, 7];
    const pieces = async function* () {
      for (const [index, size] of sizes.entries()) yield Buffer.alloc(size, index);
    };
    const chunks = await allOf(chunked(pieces()));
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [chunkBytes, chunkBytes, chunkBytes, chunkBytes, 12],
    );
    assert.deepEqual(Buffer.concat(chunks), Buffer.concat(await allOf(pieces())));
  });
});

const long = contract({
  service: 'timeseries',
  method: 'snapshots',
  kind: 'query',
  input: z.object({}),
  output: z.unknown(),
  errors: [],
  timeoutMs: 10_000,
});

const longReplies = { answer: long };
const longRepliesHandlers: Handlers<typeof longReplies> = {
  answer() {
    return new Reply(Buffer.alloc(chunkBytes * 3));
  },
};

const large = contract({ ...long, method: 'preview' });
/** Three of these fit into the share of an account. */
const largeBytes = Math.floor(longRepliesBytesMax / 4 / 3);

const largeReplies = { answer: large };
const largeRepliesHandlers: Handlers<typeof largeReplies> = {
  answer() {
    return new Reply(Buffer.alloc(largeBytes));
  },
};

const unavailableAs = (replies: RegExp) => (error: unknown) =>
  error instanceof DomainError && error.code === 'unavailable' && replies.test(operatorSentence(error));

describe('a long reply', () => {
  let nats: TestBus;
  before(async () => {
    nats = await startTestBus();
  });
  after(() => nats.stop());

  it('fails at once when its service is gone, without waiting for the timeout', { timeout: 60_000 }, async (t) => {
    const server = await nats.connect('timeseries');
    const serving = await serveContracts(server, longReplies, longRepliesHandlers, log);
    const client = rpcClient(await nats.connect('gateway'));
    const request = (timeoutMs: number) => client.forward(long, { input: {}, context: { requestId: 'r', timeoutMs } });
    const reply = await request(10_000);
    await server.nc.close();
    // NATS notices the lost connection a moment later. A request that it still routes there gets no answer.
    await eventually(() => assert.rejects(request(500), unavailableAs(/is not running/)));
    // With the timeout clock stopped, only the server's no-responders message can end the call.
    t.mock.timers.enable({ apis: ['setInterval'] });
    await assert.rejects(bytesOf(reply), unavailableAs(/was interrupted/));
    await serving.stop();
  });

  it('lets its reader disconnect before it has read everything', { timeout: 60_000 }, async () => {
    const server = await nats.connect('timeseries');
    const serving = await serveContracts(server, longReplies, longRepliesHandlers, log);
    const link = await tcpLink();
    link.leadTo(Number(new URL(nats.server.url).port));
    const reader = await connectBus({ url: `nats://127.0.0.1:${link.port}`, user: 'gateway', password: 'test' });
    const context = { requestId: 'r', timeoutMs: 10_000 };
    const { rest } = await rpcClient(reader).forward(long, { input: {}, context });
    await rest?.[Symbol.asyncIterator]().next();
    // A keep-alive is due each second. The server's answer to what was sent last takes longer.
    const slow = link.slow(5_000, 700);
    await reader.nc.drain();
    assert.ok(reader.nc.isClosed());
    await Promise.all([slow, reader.close(), serving.stop()]);
    await link.close();
  });

  it('is refused beyond the share of its account until the earlier ones are fetched', { timeout: 60_000 }, async () => {
    const server = await nats.connect('timeseries');
    const serving = await serveContracts(server, largeReplies, largeRepliesHandlers, log);
    const client = rpcClient(await nats.connect('gateway'));
    const request = (account: string) =>
      client.forward(large, { input: {}, context: { requestId: 'r', account, timeoutMs: 30_000 } });
    const open = [await request('a'), await request('a'), await request('a')];
    await assert.rejects(request('a'), (error) => error instanceof DomainError && error.code === 'unavailable');
    open.push(await request('b'));
    for (const { cancelRest } of open) cancelRest?.();
    await eventually(async () => (await request('a')).cancelRest?.());
    await serving.stop();
  });
});
