import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { AdminBus, Bus, Running } from '../bus.js';
import { durables, subjects } from '../names.js';
import {
  appendCounts,
  counterState,
  emptyStreams,
  failOnCall,
  startTestBus,
  type TestBus,
} from '../testing/test-bus.js';
import { consumeBatches } from './consume-batches.js';
import { consume } from './consume.js';
import { follow } from './follow.js';

const stream = 'EVT_EXPORT';
const subject = subjects.export('a', '1');

/** As a cluster whose servers elect a leader of their consumers. */
const noLeader = JSON.stringify({
  type: 'io.nats.jetstream.api.v1.consumer_create_response',
  error: { code: 503, err_code: 10_008, description: 'JetStream system temporarily unavailable' },
});

describe('a subscription that starts during an election', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const running: Running[] = [];
  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    admin.streams.subscribe('test.noLeader', { callback: (_, message) => void message.respond(noLeader) });
  });
  const stopAll = () => Promise.all(running.splice(0).map((one) => one.stop()));
  beforeEach(async () => {
    await stopAll();
    await emptyStreams(admin, stream);
  });
  after(async () => {
    await stopAll();
    await nats.stop();
  });

  /** The first of these requests find no leader, or are lost with it. */
  const inElection = (
    refusals: number,
    { of = '$JS.API.CONSUMER.', isSilent = false } = {},
  ): { readonly bus: Bus; readonly left: () => number; readonly waits: string[] } => {
    let left = refusals;
    const waits: string[] = [];
    const request: NatsConnection['request'] = (to, ...others): Promise<Msg> => {
      if (!to.startsWith(of) || left === 0) return admin.streams.request(to, ...others);
      left -= 1;
      if (isSilent) return new Promise(() => undefined);
      return admin.streams.request('test.noLeader', ...others);
    };
    const streams = new Proxy(admin.streams, {
      get: (target, name) => {
        if (name === 'request') return request;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const pendingWaits = new Map<string, string>();
    const set = pendingWaits.set.bind(pendingWaits);
    pendingWaits.set = (what, why) => {
      waits.push(`${what}: ${why}`);
      return set(what, why);
    };
    return { bus: { ...admin, streams, pendingWaits }, left: () => left, waits };
  };
  const why = 'JetStream system temporarily unavailable';

  it('waits, says for what, and misses no event: a consumer of one event at a time', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const { bus, left, waits } = inElection(2);
    const seen: number[] = [];
    const handle = ({ event }: { event: { state: { n: number } } }) => Promise.resolve(void seen.push(event.state.n));
    const options = { stream, durable: durables.commerceExports, state: counterState, onFailure: failOnCall } as const;
    running.push(await consume(bus, { ...options, concurrency: 1, handle }));
    await eventually(() => assert.deepEqual(seen, [1, 2, 3]));
    assert.equal(left(), 0);
    assert.deepEqual(new Set(waits), new Set([`for the consumer ${durables.commerceExports} of ${stream}: ${why}`]));
  });

  it('waits, says for what, and misses no event: a consumer of batches', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const { bus, left, waits } = inElection(2);
    const seen: number[] = [];
    const handle = (events: readonly { event: { state: { n: number } } }[]) =>
      Promise.resolve(void seen.push(...events.map(({ event }) => event.state.n)));
    const options = { stream, durable: durables.webhookExports, state: counterState, onFailure: failOnCall } as const;
    running.push(await consumeBatches(bus, { ...options, batchMax: 10, handle }));
    await eventually(() => assert.deepEqual(seen, [1, 2, 3]));
    assert.equal(left(), 0);
    assert.deepEqual(new Set(waits), new Set([`for the consumer ${durables.webhookExports} of ${stream}: ${why}`]));
  });

  it('waits, says for what, and misses no event: a follower', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const { bus, left, waits } = inElection(2);
    const seen: number[] = [];
    const onEvent = ({ event }: { event: { state: { n: number } } }): void => void seen.push(event.state.n);
    running.push(await follow(bus, { stream, from: 'first', state: counterState, onEvent, onUnreadable: failOnCall }));
    await eventually(() => assert.deepEqual(seen, [1, 2, 3]));
    assert.equal(left(), 0);
    assert.deepEqual(new Set(waits), new Set([`for a consumer of ${stream}: ${why}`]));
  });

  const followNew = async (bus: Bus): Promise<void> => {
    const seen: number[] = [];
    const onEvent = ({ event }: { event: { state: { n: number } } }): void => void seen.push(event.state.n);
    running.push(await follow(bus, { stream, from: 'new', state: counterState, onEvent, onUnreadable: failOnCall }));
    await appendCounts(admin, subject, [1, 3]);
    await eventually(() => assert.deepEqual(seen, [1, 2, 3]));
  };

  it('waits, says for what, and misses no event: a follower of what is new', async () => {
    const { bus, left, waits } = inElection(2, { of: '$JS.API.STREAM.INFO.' });
    await followNew(bus);
    assert.equal(left(), 0);
    assert.deepEqual(new Set(waits), new Set([`for the end of ${stream}: ${why}`]));
  });

  for (const of of ['$JS.API.STREAM.INFO.', '$JS.API.CONSUMER.'])
    it(`sends again what was lost with the leader: ${of}`, async () => {
      const { bus, left } = inElection(1, { of, isSilent: true });
      await followNew(bus);
      assert.equal(left(), 0);
    });
});
