import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract, DomainError, operatorSentence } from '@almanac/contracts';
import { headers } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from './bus.js';
import { headerNames, subjects } from './names.js';
import { rpcClient } from './rpc-client.js';
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

describe('a call to a service of another release', () => {
  let nats: TestBus;
  let caller: Bus;
  let reply: object = {};

  before(async () => {
    nats = await startTestBus();
    caller = await nats.connect('gateway');
    const { nc } = await nats.connect('catalog');
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
  after(() => nats.stop());

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

  it('is retried later when the service does not know the method yet', async () => {
    await assert.rejects(request(unknown), unavailable(/is not running/));
  });
});
