import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalogRpc, DomainError } from '@almanac/contracts';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { consume, NonRetryableError } from '../consume/consume.js';
import { consumeBatches } from '../consume/consume-batches.js';
import { durables, subjects } from '../names.js';
import { rpcClient } from '../rpc/rpc-client.js';
import type { Handlers } from '../rpc/handlers.js';
import { serveContracts } from '../rpc/serve-contracts.js';
import { appendCounts, type CounterState, counterState, startTestBus, type TestBus } from '../testing/test-bus.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';

const held = Promise.withResolvers<void>();

const counted = { categories: catalogRpc.categories, marketDetail: catalogRpc.marketDetail };
const countedHandlers: Handlers<typeof counted> = {
  async categories() {
    await held.promise;
    return { source: 'archive', saved_ts: 1, categories: [], count: 0 };
  },
  marketDetail() {
    throw new DomainError('market_not_found', 'It is not there.');
  },
};

const figure = async (name: string, labels: Record<string, string> = {}) =>
  sumOfSamples(await readSamples(processMetrics), name, labels);

describe('the bus metrics', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const running: Running[] = [];
  before(async () => {
    // Other files of this process count, too.
    processMetrics.resetMetrics();
    nats = await startTestBus();
    admin = await nats.connect('admin');
    await ensureStream(admin, 'EVT_EXPORT');
    await ensureDeadLetters(admin);
  });
  after(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await nats.stop();
  });

  it('count each call on both sides by method and outcome, and calls in flight', async () => {
    const failures: unknown[] = [];
    const log = { error: (facts: object) => void failures.push(facts), warn: () => undefined, debug: () => undefined };
    running.push(await serveContracts(await nats.connect('catalog'), counted, countedHandlers, log));
    const rpc = rpcClient(await nats.connect('gateway'));
    const context = { requestId: 'r' };
    const pendingReply = rpc.forward(catalogRpc.categories, { input: {}, context });
    await eventually(async () => assert.equal(await figure('almanac_rpc_requests_in_flight'), 1));
    held.resolve();
    await pendingReply;
    await assert.rejects(rpc.forward(catalogRpc.marketDetail, { input: { ticker: 'T' }, context }));
    const ok = { method: 'catalog.categories', outcome: 'ok' };
    const refused = { method: 'catalog.market-detail', outcome: 'market_not_found' };
    for (const labels of [ok, refused]) {
      assert.equal(await figure('almanac_rpc_requests_total', labels), 1);
      assert.equal(await figure('almanac_rpc_client_requests_total', labels), 1);
      assert.equal(await figure('almanac_rpc_request_seconds_count', { method: labels.method }), 1);
    }
    assert.equal(await figure('almanac_rpc_requests_in_flight'), 0);
    assert.deepEqual(failures, []);
  });

  it('show the pending, unacknowledged, redelivered and dead-lettered events of a consumer', async () => {
    const consumer = durables.commerceExports;
    const labels = { stream: 'EVT_EXPORT', consumer };
    await appendCounts(admin, subjects.export('a', '1'), [1, 5]);
    const first = Promise.withResolvers<void>();
    const counts: number[] = [];
    const one = await consume<CounterState>(await nats.connect('commerce'), {
      stream: 'EVT_EXPORT',
      durable: consumer,
      state: counterState,
      concurrency: 1,
      onFailure: () => undefined,
      handle: async ({ event: { state } }, { count }) => {
        counts.push(state.n);
        if (state.n === 1 && count === 1) await first.promise;
        if (state.n === 2 && count === 1) throw new Error('once more');
        if (state.n === 3) throw new NonRetryableError(new Error('never'));
      },
    });
    running.push(one);
    await eventually(async () => {
      assert.equal(await figure('almanac_consumer_pending', labels), 4);
      assert.equal(await figure('almanac_consumer_ack_pending', labels), 1);
      assert.equal(await figure('almanac_dead_letters'), 0);
    });
    first.resolve();
    await eventually(async () => {
      assert.equal(await figure('almanac_consumer_deliveries_total', { consumer, outcome: 'done' }), 4);
      assert.equal(await figure('almanac_consumer_pending', labels), 0);
      assert.equal(await figure('almanac_dead_letters'), 1);
    });
    assert.equal(await figure('almanac_consumer_deliveries_total', { consumer, outcome: 'retry' }), 1);
    assert.equal(await figure('almanac_consumer_deliveries_total', { consumer, outcome: 'dead' }), 1);
    assert.equal(await figure('almanac_consumer_redeliveries_total', { consumer }), 1);
  });

  it('count the events of batches one by one', async () => {
    const consumer = durables.exportFiles;
    running.push(
      await consumeBatches<CounterState>(await nats.connect('export'), {
        stream: 'EVT_EXPORT',
        durable: consumer,
        state: counterState,
        batchMax: 10,
        onFailure: () => undefined,
        handle: () => Promise.resolve(),
      }),
    );
    await eventually(async () =>
      assert.equal(await figure('almanac_consumer_deliveries_total', { consumer, outcome: 'done' }), 5),
    );
  });

  it('show no consumer state while NATS does not answer, and count the failure', async () => {
    await nats.server.stop();
    await eventually(async () => {
      assert.equal(await figure('almanac_consumer_pending'), undefined);
      assert.ok(((await figure('almanac_consumer_info_failures_total')) ?? 0) > 0);
    });
  });
});
