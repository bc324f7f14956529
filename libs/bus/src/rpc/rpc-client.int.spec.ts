import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { headers } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus, Running } from '../bus.js';
import { headerNames, subjects } from '../names.js';
import { NewerEventError } from '../streams/newer-event.js';
import { rpcClient } from './rpc-client.js';
import { Reply } from './rpc-reply.js';
import type { Handlers } from './handlers.js';
import { serveContracts } from './serve-contracts.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
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

const slowContracts = { slow, long };
const slowHandlers: Handlers<typeof slowContracts> = {
  async slow({ ms }, { signal, requestId }) {
    began.push(requestId);
    await delay(ms, undefined, { signal }).catch(() => aborted.push(requestId));
    return { waited: !signal.aborted };
  },
  long() {
    return new Reply(bytes);
  },
};

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
        await serveContracts(bus, slowContracts, slowHandlers, {
          error: (facts) => logged.push(facts),
          warn: () => undefined,
          debug: () => undefined,
        }),
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

const methodOf = (method: string) =>
  contract({
    service: 'catalog',
    method,
    kind: 'query',
    input: z.object({}),
    output: z.object({ n: z.int() }),
    errors: [],
    timeoutMs: 60_000,
  });
const refusing = methodOf('search');
const handling = methodOf('categories');
const unknown = methodOf('list-series');
const served = contract({
  ...methodOf('market-detail'),
  input: z.object({ a: z.int(), b: z.int().default(7) }),
});
const inputs: object[] = [];

const servedContracts = { served };
const servedHandlers: Handlers<typeof servedContracts> = {
  served(input) {
    if (input.a === 0) throw new NewerEventError({ subject: 'evt.keys.a', seq: 1, type: 'Next' });
    inputs.push(input);
    return { n: 1 };
  },
};

describe('a call to a service of another release', () => {
  let nats: TestBus;
  let caller: Bus;
  let serving: Running;
  let reply: object = {};

  before(async () => {
    nats = await startTestBus();
    caller = await nats.connect('gateway');
    const catalog = await nats.connect('catalog');
    serving = await serveContracts(catalog, servedContracts, servedHandlers, createLogger('catalog', 'silent'));
    const { nc } = catalog;
    nc.subscribe(subjects.rpc(refusing), {
      callback: (_error, message) => {
        const made = headers();
        made.set(headerNames.error, 'of_the_next_release');
        message.respond(JSON.stringify({ code: 'of_the_next_release', detail: 'What is not known yet.' }), {
          headers: made,
        });
      },
    });
    nc.subscribe(subjects.rpc(handling), {
      callback: (_error, message) => void message.respond(JSON.stringify(reply)),
    });
    await nc.flush();
  });
  after(async () => {
    await serving.stop();
    await nats.stop();
  });

  const request = (method: typeof refusing) =>
    rpcClient(caller).call(method, { input: {}, context: { requestId: 'r' } });
  const unavailable = (sentence: RegExp) => (error: unknown) => {
    assert.ok(error instanceof DomainError, String(error));
    assert.equal(error.code, 'unavailable');
    assert.doesNotMatch(error.detail, /service|release/);
    assert.match(operatorSentence(error), sentence);
    return true;
  };

  it('is retried later when the service answers with an unknown error code', async () => {
    await assert.rejects(request(refusing), unavailable(/answered as another release does/));
  });

  it('is retried later when the answer lacks a field, and ignores unknown fields', async () => {
    reply = { of: 'an older release' };
    await assert.rejects(request(handling), unavailable(/answered as another release does/));
    reply = { n: 1, more: 'of a newer release' };
    assert.deepEqual(await request(handling), { n: 1 });
  });

  it('has unknown input fields that an older service ignores, and lacks fields that a newer one defaults', async () => {
    const methods = (input: z.ZodType) => contract({ ...served, input });
    for (const [input, received] of [
      [
        { a: 1, next: 2 },
        { a: 1, b: 7 },
      ],
      [{ a: 1 }, { a: 1, b: 7 }],
    ] as const) {
      const call = { input, context: { requestId: 'r' } };
      assert.deepEqual(await rpcClient(caller).call(methods(z.unknown()), call), { n: 1 });
      assert.deepEqual(inputs.pop(), received);
    }
  });

  it('passes on when to try again if the older service cannot decide', async () => {
    const call = { input: { a: 0 }, context: { requestId: 'r' } };
    await assert.rejects(
      rpcClient(caller).call(served, call),
      (error) => error instanceof DomainError && error.reply.more?.['retry_after_s'] === 5,
    );
  });

  it('is retried later when the service does not know the method yet', async () => {
    await assert.rejects(request(unknown), unavailable(/is not running/));
  });
});
