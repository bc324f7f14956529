import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectBus, patterns } from '@almanac/bus';
import { exportResponse, marketsResponse, previewResponse, snapshotsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { type ApiClient, poll } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

/** A request during an outage may get 503 or a broken connection. A client repeats it for at most this long. */
const timeoutMs = 120_000;

describe('a service killed with kill -9', () => {
  let running: SystemHarness;
  let api: ApiClient;
  let tickers: string[] = [];

  before(async () => {
    running = await startHarness();
    api = await running.client('internal');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=10');
    tickers = markets.map(({ ticker }) => ticker);
    assert.equal(tickers.length, 10);
  });
  after(() => running.stop());

  const retrying = async <T>(request: () => Promise<T>): Promise<T> => {
    const outcome = await poll(
      () =>
        request().then(
          (value) => ({ value }),
          (error: unknown) => ({ error: String(error) }),
        ),
      (settled) => 'value' in settled,
      { timeoutMs },
    );
    if (!('value' in outcome)) throw new Error(outcome.error);
    return outcome.value;
  };

  const walk = async (ticker: string) => {
    await retrying(() => api.json(snapshotsResponse, `/markets/${ticker}/snapshots?limit=5`));
    const preview = () => retrying(() => api.json(previewResponse, `/markets/${ticker}/preview`));
    await poll(preview, ({ pending }) => !pending);
  };

  for (const [index, service] of [
    'catalog',
    'timeseries',
    'export',
    'commerce',
    'keys',
    'webhooks',
    'gateway',
  ].entries()) {
    it(`the walk completes after ${service} was killed, and the earlier export is ready exactly once`, async () => {
      const ticker = tickers[index] ?? '';
      const body = JSON.stringify({ ticker, format: 'jsonl.gz' });
      const created = await api.json(exportResponse, '/exports', { method: 'POST', body });
      await running.system.kill(service);
      const restarted = running.system.restart(service);
      await walk(ticker);
      await restarted;
      const state = await poll(
        () => retrying(() => api.json(exportResponse, `/exports/${created.id}`)),
        ({ status }) => status !== 'pending',
      );
      assert.equal(state.status, 'ready', state.error ?? '');
      const file = await retrying(async () => {
        const answer = await api.send(`/exports/${created.id}/file`);
        if (answer.status !== 200) throw new Error(`${answer.status}`);
        return answer.bytes;
      });
      assert.equal(file.length, state.bytes);
      // Polls until the end is included: on a slow machine one read may not get that far.
      const types = await poll(
        () => eventsOf(running, created.id),
        (seen) => seen.includes('ExportReady'),
      );
      assert.equal(types.filter((type) => type === 'ExportReady').length, 1);
    });
  }
});

/** The types of all stored events of one export, in order. */
const eventsOf = async ({ system }: SystemHarness, id: string): Promise<string[]> => {
  const bus = await connectBus({
    url: system.infrastructure.natsUrl,
    user: 'gateway',
    password: system.secrets.nats.gateway,
  });
  try {
    const consumer = await bus.js.consumers.get('EVT_EXPORT', {
      filter_subjects: patterns.allOf('EVT_EXPORT'),
      name_prefix: 'gateway',
    });
    const types: string[] = [];
    const messages = await consumer.fetch({ max_messages: 1_000, expires: 1_500 });
    for await (const message of messages) {
      if (!message.subject.endsWith(id)) continue;
      types.push(message.json<{ type: string }>().type);
    }
    return types;
  } finally {
    await bus.close();
  }
};
