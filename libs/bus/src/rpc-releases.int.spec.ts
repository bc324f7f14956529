import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { Controller } from '@nestjs/common';
import { headers } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from './bus.js';
import type { Running } from './durable-consumer.js';
import { headerNames, subjects } from './names.js';
import { NewerEventError } from './newer-event.js';
import { rpcClient } from './rpc-client.js';
import { Rpc } from './rpc-server.js';
import { serveControllers } from './serve-controllers.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';

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

@Controller()
class ServedController {
  @Rpc(served)
  served(input: z.output<typeof served.input>): object {
    if (input.a === 0) throw new NewerEventError({ subject: 'evt.keys.a', seq: 1, type: 'Next' });
    inputs.push(input);
    return { n: 1 };
  }
}

describe('a call to a service of another release', () => {
  let nats: TestBus;
  let caller: Bus;
  let serving: Running;
  let reply: object = {};

  before(async () => {
    nats = await startTestBus();
    caller = await nats.connect('gateway');
    const catalog = await nats.connect('catalog');
    serving = await serveControllers(catalog, { controllers: [ServedController] }, createLogger('catalog', 'silent'));
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
