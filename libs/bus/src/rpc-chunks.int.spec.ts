import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { eventually, tcpLink } from '@almanac/testing';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { connectBus } from './bus.js';
import { bytesOf, rpcClient } from './rpc-client.js';
import { Reply } from './rpc-reply.js';
import { Rpc } from './rpc-server.js';
import { serveControllers } from './serve-controllers.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';
import { chunkBytes, longRepliesBytesMax } from './rpc-wire.js';

const long = contract({
  service: 'timeseries',
  method: 'snapshots',
  kind: 'query',
  input: z.object({}),
  output: z.unknown(),
  errors: [],
  timeoutMs: 10_000,
});

@Controller()
class LongController {
  @Rpc(long)
  answer(): Reply {
    return new Reply(Buffer.alloc(chunkBytes * 3));
  }
}

const large = contract({ ...long, method: 'preview' });
/** Three of these fit into the share of an account. */
const largeBytes = Math.floor(longRepliesBytesMax / 4 / 3);

@Controller()
class LargeController {
  @Rpc(large)
  answer(): Reply {
    return new Reply(Buffer.alloc(largeBytes));
  }
}

const log = { error: () => undefined, warn: () => undefined, debug: () => undefined };
const unavailable = (replies: RegExp) => (error: unknown) =>
  error instanceof DomainError && error.code === 'unavailable' && replies.test(operatorSentence(error));

describe('a long reply', () => {
  let nats: TestBus;
  before(async () => {
    nats = await startTestBus();
  });
  after(() => nats.stop());

  it('fails at once when its service is gone, without waiting for the timeout', { timeout: 60_000 }, async (t) => {
    const server = await nats.connect('timeseries');
    const serving = await serveControllers(server, { controllers: [LongController] }, log);
    const client = rpcClient(await nats.connect('gateway'));
    const request = (timeoutMs: number) => client.forward(long, { input: {}, context: { requestId: 'r', timeoutMs } });
    const reply = await request(10_000);
    await server.nc.close();
    // NATS notices the lost connection a moment later. A request that it still routes there gets no answer.
    await eventually(() => assert.rejects(request(500), unavailable(/is not running/)));
    // With the timeout clock stopped, only the server's no-responders message can end the call.
    t.mock.timers.enable({ apis: ['setInterval'] });
    await assert.rejects(bytesOf(reply), unavailable(/was interrupted/));
    await serving.stop();
  });

  it('lets its reader disconnect before it has read everything', { timeout: 60_000 }, async () => {
    const server = await nats.connect('timeseries');
    const serving = await serveControllers(server, { controllers: [LongController] }, log);
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
    const serving = await serveControllers(server, { controllers: [LargeController] }, log);
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
