import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { streamsRpc } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { consume } from '../consume/consume.js';
import { deadLetterStream, durables, subjects } from '../names.js';
import { rpcClient } from '../rpc/rpc-client.js';
import { serveContracts, serveService } from '../rpc/serve-contracts.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';
import { ownStreamsStatus } from './streams-status.js';
import { appendCounts, counterState, startTestBus, type TestBus } from '../testing/test-bus.js';

describe('the state of the streams of a service', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const running: Running[] = [];
  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    for (const stream of ['EVT_EXPORT', 'EVT_FILE', 'EVT_KEYS'] as const) await ensureStream(admin, stream);
    await ensureDeadLetters(admin);
  });
  after(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await nats.stop();
  });

  it('has its streams and backlog, and its newest dead letter, which no other service can read', async () => {
    const exportBus = await nats.connect('export');
    const handle = (): Promise<void> => Promise.reject(new Error('the store says no'));
    const options = {
      stream: 'EVT_EXPORT',
      state: counterState,
      deliveriesMax: 1,
      onFailure: () => undefined,
    } as const;
    running.push(await consume(exportBus, { ...options, durable: durables.exportFiles, concurrency: 1, handle }));
    await appendCounts(admin, subjects.export('a', '1'), [1, 2]);
    await eventually(async () => {
      const { dead_letters: letters } = await ownStreamsStatus(exportBus);
      assert.deepEqual(
        letters.map(({ consumer, count }) => [consumer, count]),
        [[durables.exportFiles, 2]],
      );
    });
    const { streams, consumers, dead_letters: letters } = await ownStreamsStatus(exportBus);
    assert.deepEqual(
      streams.map(({ stream, exists, messages }) => [stream, exists, messages]),
      [
        ['EVT_EXPORT', true, 2],
        ['EVT_FILE', true, 0],
        [deadLetterStream, true, 2],
      ],
    );
    assert.ok((streams[0]?.bytes ?? 0) > 100 && Date.now() / 1_000 - (streams[0]?.newest_ts ?? 0) < 3_600);
    assert.equal(streams[1]?.newest_ts, null);
    assert.deepEqual(
      consumers.map(({ consumer, service, waiting }) => [consumer, service, waiting]),
      [[durables.exportFiles, 'export', 0]],
    );
    const { stored_ts: storedTs = 0, ...newest } = letters[0]?.newest ?? {};
    const reason = 'the store says no';
    assert.deepEqual(newest, { number: 2, subject: subjects.export('a', '1'), sequence: 2, reason });
    assert.ok(Math.abs(Date.now() / 1_000 - storedTs) < 3_600);
    const others = await ownStreamsStatus(await nats.connect('webhooks'));
    assert.deepEqual(others.dead_letters, [{ consumer: durables.exportFiles, count: 2, newest: null }]);
    assert.equal(others.streams.find(({ stream }) => stream === 'EVT_WEBHOOK')?.exists, false);
    const ofKeys = await ownStreamsStatus(await nats.connect('keys'));
    assert.deepEqual(
      ofKeys.streams.map(({ stream }) => stream),
      ['EVT_KEYS'],
    );
  });

  it('counts messages that wait, and those that are no events', async () => {
    const durable = durables.exportWorkers;
    const exportBus = await nats.connect('export');
    const stop = await consume(exportBus, {
      stream: 'EVT_FILE',
      state: counterState,
      durable,
      concurrency: 1,
      onFailure: () => undefined,
      handle: () => Promise.resolve(),
    });
    await stop.stop();
    await appendCounts(admin, subjects.file('k'), [1, 3]);
    for (let seq = 1; seq <= 30; seq += 1) await admin.js.publish(subjects.unreadable('EVT_KEYS', seq));
    const { consumers, unreadable } = await ownStreamsStatus(exportBus);
    const { waiting, in_progress: inProgress } = consumers.find(({ consumer }) => consumer === durable) ?? {};
    assert.deepEqual([waiting, inProgress], [3, 0]);
    assert.deepEqual([unreadable.count, unreadable.examples.length], [30, 20]);
    assert.ok(unreadable.examples.every(({ stream, sequence }) => stream === 'EVT_KEYS' && sequence > 0));
  });

  it('is a call that one process of the service answers to the gateway', async () => {
    const silent = createLogger('test', 'silent');
    for (let process = 0; process < 2; process += 1) {
      const bus = await nats.connect('export');
      running.push(
        await serveContracts(bus, { streams: streamsRpc.export }, { streams: () => ownStreamsStatus(bus) }, silent),
      );
    }
    const rpc = rpcClient(await nats.connect('gateway'));
    const { streams } = await rpc.call(streamsRpc.export, { input: {}, context: { requestId: 'r' } });
    assert.equal(streams.length, 3);
  });

  it('is answered by a service only together with its own contracts', async () => {
    const bus = await nats.connect('export');
    const silent = createLogger('test', 'silent');
    // @ts-expect-error There are no handlers.
    assert.throws(() => serveService(bus, 'export', {}, silent), /export\.create has no handler create/);
  });

  it('names each partition, and counts the dead letters of a consumer once', async () => {
    const partitioned = await startTestBus(2);
    try {
      const bus = await partitioned.connect('admin');
      await ensureStream(bus, 'EVT_CATALOG');
      await ensureDeadLetters(bus);
      await bus.js.publish(subjects.dead(durables.catalogReadModel));
      const status = await ownStreamsStatus(await partitioned.connect('catalog'));
      const found = status.streams.filter(({ exists }) => exists).map(({ stream }) => stream);
      assert.deepEqual(found, ['EVT_CATALOG_00', 'EVT_CATALOG_01', deadLetterStream]);
      assert.deepEqual(
        status.dead_letters.map(({ consumer, count, newest }) => [consumer, count, newest?.number]),
        [[durables.catalogReadModel, 1, 1]],
      );
    } finally {
      await partitioned.stop();
    }
  });
});
