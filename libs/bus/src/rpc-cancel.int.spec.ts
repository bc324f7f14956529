import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { contract } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import type { Bus } from './bus.js';
import type { Running } from './durable-consumer.js';
import { rpcClient } from './rpc-client.js';
import { Reply } from './rpc-reply.js';
import { Rpc, type RpcContext } from './rpc-server.js';
import { serveControllers } from './serve-controllers.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';
import { chunkBytes } from './rpc-wire.js';

const slow = contract({
  service: 'catalog',
  method: 'search',
  kind: 'query',
  input: z.object({ ms: z.int() }),
  output: z.object({ waited: z.boolean() }),
  errors: [],
  timeoutMs: 60_000,
});
const long = contract({ ...slow, method: 'categories', input: z.object({}), output: z.unknown() });
const bytes = Buffer.alloc(3 * chunkBytes);
const began: string[] = [];
const aborted: string[] = [];

@Controller()
class SlowController {
  @Rpc(slow)
  async slow({ ms }: { ms: number }, { signal, requestId }: RpcContext): Promise<object> {
    began.push(requestId);
    await delay(ms, undefined, { signal }).catch(() => aborted.push(requestId));
    return { waited: !signal.aborted };
  }
  @Rpc(long)
  long(): Reply {
    return new Reply(bytes);
  }
}

describe('a cancelled call', () => {
  let nats: TestBus;
  let caller: Bus;
  const processes: Running[] = [];
  const logged: object[] = [];
  before(async () => {
    nats = await startTestBus();
    caller = await nats.connect('gateway');
    // Each call reaches one of the two processes, and the caller does not know which.
    for (let process = 0; process < 2; process += 1) {
      const bus = await nats.connect('catalog');
      processes.push(
        await serveControllers(
          bus,
          { controllers: [SlowController] },
          { error: (facts) => logged.push(facts), warn: () => undefined, debug: () => undefined },
        ),
      );
    }
  });
  after(async () => {
    for (const process of processes) await process.stop();
    await nats.stop();
  });
  const call = (requestId: string, ms: number, signal?: AbortSignal) =>
    rpcClient(caller).call(slow, { input: { ms }, context: { requestId }, ...(signal ? { signal } : {}) });

  it('ends for the caller with its reason and in the service, and affects no other call', async () => {
    const leaving = new AbortController();
    const reason = new Error('gone');
    const left = Array.from({ length: 8 }, (_, n) => call(`left-${n}`, 50_000, leaving.signal));
    const others = [call('stays', 2_000, new AbortController().signal), call('plain', 2_000)];
    await eventually(() => assert.equal(began.length, 10));
    leaving.abort(reason);
    for (const one of left) await assert.rejects(one, (error) => error === reason);
    await eventually(() => assert.equal(aborted.length, 8));
    assert.deepEqual(await Promise.all(others), [{ waited: true }, { waited: true }]);
    assert.equal(aborted.length, 8);
    assert.deepEqual(logged, []);
  });

  it('never reaches the service when it is cancelled before it is sent', async () => {
    await assert.rejects(call('never', 1, AbortSignal.abort(new Error('gone'))), /gone/);
    assert.deepEqual(await call('after', 1), { waited: true });
    assert.ok(!began.includes('never'));
  });

  it('leaves nothing in the service when it is cancelled after its first chunk', async () => {
    for (let time = 0; time < 20; time += 1) {
      const reply = await rpcClient(caller).forward(long, { input: {}, context: { requestId: 'long' } });
      assert.equal(reply.totalBytes, bytes.length);
      reply.cancelRest?.();
    }
    // A stop waits for running calls, and so for callers that the service believes to be connected.
    await processes[0]?.stop();
  });

  it('changes nothing when it is cancelled after its answer', async () => {
    const late = new AbortController();
    assert.deepEqual(await call('done', 1, late.signal), { waited: true });
    late.abort();
    assert.deepEqual(await call('next', 1, new AbortController().signal), { waited: true });
  });
});
