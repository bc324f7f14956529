import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, type AdminBus, ensureDeadLetters, ensureStream, natsAccounts, subjects } from '@almanac/bus';
import { type ExportQuery, exportState } from '@almanac/contracts';
import { type EventStore, execute, jetStreamStore } from '@almanac/event-store';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { completeExports } from './exports/complete-exports.reactor.js';
import { exportDecider } from './exports/export.decider.js';
import { type FileCommand, fileDecider } from './files/file.decider.js';
import { addWaiter } from './files/waiters.js';
import { log } from './testing/fixture.js';

const account = 'acc';
const key = 'the-file';
const question: ExportQuery = {
  event: 'EV',
  ticker: null,
  series: null,
  day: null,
  streams: ['snapshots'],
  format: 'csv',
  numbers: 'decimal',
};

describe('the failure of a file that arrives late', { timeout: 120_000 }, () => {
  let nats: TestNats;
  let bus: AdminBus;
  let store: EventStore;
  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test') });
    bus = await connectBus({ url: nats.url, user: 'export', password: 'test' });
    await ensureDeadLetters(bus);
    await ensureStream(bus, 'EVT_EXPORT');
    await ensureStream(bus, 'EVT_FILE');
    store = jetStreamStore(bus);
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  const envelope = (subject: string) => ({ subject, id: randomUUID(), account, time: 1, timeoutMs: 10_000 });
  const requested = async (): Promise<string> => {
    const id = randomUUID();
    await execute(store, exportDecider(account, id), {
      ...envelope(subjects.export(account, id)),
      command: {
        type: 'request',
        request: { question, grant: 'plan', file_key: key, filename: 'x.csv', requested_us: 1 },
      },
    });
    return id;
  };
  const change = (command: FileCommand) =>
    execute(store, fileDecider(key), { ...envelope(subjects.file(key)), command });
  const want = (export_id: string) =>
    change({ type: 'want', request: { question, requested_us: 1, waiter: { account, export_id } } });
  const statusOf = async (id: string) => (await store.load(subjects.export(account, id), exportState))?.state.status;

  it('ends the exports that waited for it, and none that waits for the file that was requested again', async () => {
    const [first, second, third, fourth] = [await requested(), await requested(), await requested(), await requested()];
    await want(first);
    await addWaiter(store, key, { account, export_id: second });
    await change({ type: 'fail', error: 'The file could not be prepared.' });
    await want(third);
    await addWaiter(store, key, { account, export_id: fourth });
    const running = await completeExports(bus, store, log);
    try {
      await eventually(async () =>
        assert.deepEqual(await Promise.all([first, second].map(statusOf)), ['failed', 'failed']),
      );
      const file = { storage_key: 's', bytes: 1, row_count: 1, markets: 1, sha256: 'h' };
      await change({ type: 'complete', file, manifest: '' });
      await eventually(async () =>
        assert.deepEqual(await Promise.all([third, fourth].map(statusOf)), ['ready', 'ready']),
      );
    } finally {
      await running.stop();
    }
  });
});
