import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { createInbox, headers } from '@nats-io/transport-node';
import { z } from 'zod';
import type { AdminBus, Running } from '../bus.js';
import { headerNames, inboxOf, subjects } from '../names.js';
import { StreamReply } from './rpc-reply.js';
import { encodeRequest, requestHeaders } from './rpc-wire.js';
import { serveContracts } from './serve-contracts.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';

const streaming = contract({
  service: 'timeseries',
  method: 'snapshots',
  kind: 'query',
  input: z.object({}),
  output: z.unknown(),
  errors: [],
  timeoutMs: 2_000,
});
const streams = { answer: streaming };
const handlers = {
  answer: () => {
    const rest = async function* () {
      for (let index = 1; index < 20; index += 1) yield Buffer.of(index);
      return { count: 20 };
    };
    return new StreamReply({}, { first: Buffer.of(0), rest: rest(), abandon: () => undefined });
  },
};
const log = { error: () => undefined, warn: () => undefined, debug: () => undefined };

describe('the chunks that a producer stores for its caller', () => {
  let nats: TestBus;
  let caller: AdminBus;
  let serving: Running;
  before(async () => {
    nats = await startTestBus();
    serving = await serveContracts(await nats.connect('timeseries'), streams, handlers, log);
    caller = await nats.connect('gateway');
  });
  after(async () => {
    await serving.stop();
    await nats.stop();
  });

  /** Requests chunks and tells which one has arrived. They are answered in order. */
  const begin = async () => {
    const first = await caller.nc.request(subjects.rpc(streaming), encodeRequest({}), {
      timeout: 2_000,
      headers: requestHeaders({ requestId: 'r' }, 2_000),
    });
    const to = first.reply ?? assert.fail('a stream has a subject for more');
    const inbox = createInbox(inboxOf('gateway'));
    const received: (number | undefined)[] = [];
    caller.nc.subscribe(inbox, { callback: (_error, { data }) => void received.push(data[0]) });
    const send = (text: string, arrived?: number): void => {
      const made = headers();
      if (arrived !== undefined) made.set(headerNames.arrived, String(arrived));
      caller.nc.publish(to, text, { ...(text !== 'ping' && { reply: inbox }), headers: made });
    };
    return { send, received };
  };

  it('are the last ones for a caller of an older release', async () => {
    const { send, received } = await begin();
    for (const index of [1, 2, 3, 1, 2, 3]) send(String(index));
    await eventually(() => assert.deepEqual(received, [1, 2, 3, 1, 2, 3]));
  });

  it('are only those that have not arrived', async () => {
    const { send, received } = await begin();
    for (const index of [1, 2, 3]) send(String(index), index - 1);
    send('2', 2);
    send('3', 2);
    await eventually(() => assert.deepEqual(received, [1, 2, 3, 3]));
    send('ping', 3);
    send('3', 3);
    send('4', 3);
    await eventually(() => assert.deepEqual(received, [1, 2, 3, 3, 4]));
  });
});
