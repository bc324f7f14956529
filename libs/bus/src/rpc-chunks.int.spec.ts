import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { bytesOf, rpcClient } from './rpc-client.js';
import { Reply } from './rpc-reply.js';
import { Rpc } from './rpc-server.js';
import { serveModule } from './serve.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';
import { chunkBytes } from './wire.js';

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

const unavailable = (replies: RegExp) => (error: unknown) =>
  error instanceof DomainError && error.code === 'unavailable' && replies.test(operatorSentence(error));

describe('a long reply', () => {
  let nats: TestBus;
  before(async () => {
    nats = await startTestBus();
  });
  after(() => nats.stop());

  it('fails at once when its service is gone, without waiting for the timeout', { timeout: 60_000 }, async (t) => {
    const log = { error: () => undefined, debug: () => undefined };
    const server = await nats.connect('timeseries');
    const serving = await serveModule(server, { controllers: [LongController] }, log);
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
});
