import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Contract, contract } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { headers, type Msg, TimeoutError } from '@nats-io/transport-node';
import { z } from 'zod';
import type { AdminBus, Running } from '../bus.js';
import { headerNames, queueOf, subjects } from '../names.js';
import { rpcClient } from './rpc-client.js';
import { serveContracts } from './serve-contracts.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';

const timeoutMs = 30_000;
const methodOf = (method: string, more: Partial<Contract>) =>
  contract({
    service: 'catalog',
    method,
    kind: 'query',
    input: z.object({ idempotency_key: z.string().optional() }),
    output: z.object({ n: z.int() }),
    errors: [],
    timeoutMs,
    ...more,
  });
const query = methodOf('search', {});
const command = methodOf('categories', { kind: 'command', timeoutMs: 2_000 });
const keyed = methodOf('list-series', { kind: 'command', repeats: 'with key', timeoutMs: 2_000 });

describe('a request whose server dies on the way', () => {
  let nats: TestBus;
  let caller: AdminBus;
  let service: AdminBus;
  let running: Running | undefined;
  before(async () => {
    nats = await startTestBus();
    [caller, service] = [await nats.connect('gateway'), await nats.connect('catalog')];
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  after(() => nats.stop());

  const call = (to: typeof query, input: { idempotency_key?: string } = {}) =>
    rpcClient(caller).call(to, { input, context: { requestId: 'r' } });

  /** Loses the first requests of a method, as a server that dies, and answers the others with their number. */
  const loseFirst = async (to: Contract, lost: number, onLost: () => void = () => undefined) => {
    const received: Msg[] = [];
    const subscription = service.nc.subscribe(subjects.rpc(to), {
      queue: queueOf(to.service),
      callback: (_error, message) => {
        received.push(message);
        if (received.length <= lost) onLost();
        else message.respond(JSON.stringify({ n: received.length }));
      },
    });
    await service.nc.flush();
    running = { stop: async () => subscription.unsubscribe() };
    return received;
  };

  it('is sent again if it is a query, because nobody works on it', async () => {
    const received = await loseFirst(query, 1);
    assert.deepEqual(await call(query), { n: 2 });
    assert.equal(received.length, 2);
  });

  it('is sent again if it is a query and the caller has another connection', async () => {
    await loseFirst(query, 1, () => void caller.nc.reconnect());
    assert.deepEqual(await call(query), { n: 2 });
  });

  it('is sent again if it is a command with an idempotency key', async () => {
    await loseFirst(keyed, 1);
    assert.deepEqual(await call(keyed, { idempotency_key: 'k' }), { n: 2 });
  });

  it('is not sent again if it is another command: it may have been done', async () => {
    for (const [to, input] of [
      [command, { idempotency_key: 'k' }],
      [keyed, {}],
    ] as const) {
      const received = await loseFirst(to, 1);
      await assert.rejects(call(to, input), { code: 'unavailable' });
      assert.equal(received.length, 1);
      await running?.stop();
    }
  });

  it('is sent again if nobody received it, because the service has no server for a moment', async () => {
    const answers = Promise.all([call(query), call(command)]);
    await delay(300);
    await loseFirst(query, 0);
    const forQueries = running;
    await loseFirst(command, 0);
    assert.deepEqual(await answers, [{ n: 1 }, { n: 1 }]);
    await forQueries?.stop();
  });

  it('reaches the process that answers, although a server still sends nearly all requests to others that are lost', async () => {
    const lost = await nats.connect('catalog');
    const subscriptions = Array.from({ length: 499 }, () =>
      lost.nc.subscribe(subjects.rpc(query), { queue: queueOf('catalog'), callback: () => undefined }),
    );
    await lost.nc.flush();
    let begun = 0;
    const handlers = { query: () => ({ n: (begun += 1) }) };
    running = await serveContracts(service, { query }, handlers, createLogger('catalog', 'silent'));
    assert.deepEqual(await call(query), { n: 1 });
    for (const subscription of subscriptions) subscription.unsubscribe();
  });

  it('may be sent to one process only by those who may send it to the service', async () => {
    const forTimeseries = methodOf('nearest-id', { callers: ['timeseries'] });
    const timeseries = await nats.connect('timeseries');
    let begun = 0;
    const handlers = { query: () => ({ n: 1 }), forTimeseries: () => ({ n: (begun += 1) }) };
    running = await serveContracts(service, { query, forTimeseries }, handlers, createLogger('catalog', 'silent'));
    const inboxFor = async ({ nc }: AdminBus): Promise<string> => {
      const asks = headers();
      asks.set(headerNames.direct, '1');
      const { reply } = await nc.request(subjects.cancel('catalog'), '?unknown', { timeout: 5_000, headers: asks });
      return reply ?? assert.fail('an idle process tells its inbox');
    };
    const send = async ({ nc }: AdminBus, inbox: string, method: string): Promise<unknown> =>
      (await nc.request(`${inbox}.${method}`, '{}', { timeout: 1_000 })).json();
    const [ofGateway, ofTimeseries] = [await inboxFor(caller), await inboxFor(timeseries)];
    assert.notEqual(ofGateway, ofTimeseries);
    assert.deepEqual(await send(caller, ofGateway, 'search'), { n: 1 });
    await assert.rejects(send(caller, ofGateway, 'nearest-id'), TimeoutError);
    assert.equal(begun, 0);
    assert.deepEqual(await send(timeseries, ofTimeseries, 'nearest-id'), { n: 1 });
  });

  it('is not sent again while a process works on it, however long that takes', async () => {
    let begun = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handlers = {
      query: async () => {
        begun += 1;
        await finished;
        return { n: begun };
      },
    };
    running = await serveContracts(service, { query }, handlers, createLogger('catalog', 'silent'));
    const answer = call(query);
    await eventually(() => assert.equal(begun, 1));
    await messagesSent(caller, 3);
    finish();
    assert.deepEqual(await answer, { n: 1 });
  });
});

/** Resolves when a process of the service was asked this many times whether it works on a call. */
const messagesSent = async (bus: AdminBus, times: number): Promise<void> => {
  const { outMsgs } = bus.nc.stats();
  await eventually(() => assert.ok(bus.nc.stats().outMsgs >= outMsgs + times));
};
