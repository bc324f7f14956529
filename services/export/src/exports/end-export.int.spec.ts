import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureDeadLetters, ensureStream, natsAccounts, subjects } from '@almanac/bus';
import { DomainError, exportState, type ExportState } from '@almanac/contracts';
import { type EventStore, execute, jetStreamStore } from '@almanac/event-store';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { type FileCommand, fileDecider } from '../files/file.decider.js';
import { addWaiter } from '../files/waiters.js';
import { log } from '../testing/fixture.js';
import { refuses } from '../testing/harness.js';
import { queryOf } from '../testing/queries.js';
import { envelope, recordExport } from '../testing/workers.js';
import { cancelExport } from './cancel-export.command.js';
import { completeExports } from './complete-exports.reactor.js';
import { endExport } from './end-export.js';

const account = 'acc';
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

const request = (file_key: string = randomUUID()): Promise<string> =>
  recordExport(store, { account, event: 'EV', file_key });
const stateOf = async (id: string): Promise<ExportState | undefined> =>
  (await store.load(subjects.export(account, id), exportState))?.state;
/** The number of events of an export. */
const eventsOf = async (id: string): Promise<number | undefined> => {
  const subject = subjects.export(account, id);
  return (await bus.jsm.streams.info('EVT_EXPORT', { subjects_filter: subject })).state.subjects?.[subject];
};

describe('cancelling an export', () => {
  const cancel = (exportId: string, as = account) => cancelExport(store, { account: as, exportId }, 60_000);

  it('ends it once, and a repetition gets the same answer', async () => {
    const id = await request();
    const cancelled = await cancel(id);
    assert.deepEqual([cancelled.status, cancelled.bytes, cancelled.progress], ['cancelled', 0, null]);
    assert.deepEqual(await cancel(id), cancelled);
    assert.equal(await eventsOf(id), 2);
  });

  it('is refused for one of another account, for an unknown id and for an invalid UUID', async () => {
    const id = await request();
    await refuses(cancel(id, randomUUID()), 'export_not_found');
    await refuses(cancel(randomUUID()), 'export_not_found');
    await refuses(cancel('no-uuid'), 'export_not_found');
    assert.equal(await eventsOf(id), 1);
  });

  it('races with its end: one of the two wins, and the other learns the outcome', async () => {
    const ready = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h', ready_us: 3 };
    const codeOf = (error: unknown): string => (error instanceof DomainError ? error.code : String(error));
    const outcomes = new Map<string, string>();
    for (let round = 0; round < 20 || (round < 500 && outcomes.size < 2); round += 1) {
      const id = await request();
      const end = () => endExport(store, { account, export_id: id }, { type: 'complete', ready });
      const cancelOnce = () => cancel(id).then(({ status }) => status, codeOf);
      const [outcome] = await (round % 2 === 0
        ? Promise.all([cancelOnce(), end()])
        : Promise.all([end(), cancelOnce()]).then(([, status]) => [status]));
      const state = await stateOf(id);
      assert.equal(outcome, state?.status === 'ready' ? 'export_ended' : 'cancelled');
      outcomes.set(state?.status ?? '', id);
    }
    assert.deepEqual([...outcomes.keys()].toSorted(), ['cancelled', 'ready']);
    for (const id of outcomes.values()) assert.equal(await eventsOf(id), 2);
  });
});

describe('the failure of a file that arrives late', () => {
  it('ends the exports that waited for it, and none that waits for the file that was requested again', async () => {
    const key = 'the-file';
    const change = (command: FileCommand) =>
      execute(store, fileDecider(key), { ...envelope(subjects.file(key)), command });
    const want = (export_id: string) =>
      change({
        type: 'want',
        request: { query: queryOf({ event: 'EV' }), requested_us: 1, waiter: { account, export_id } },
      });
    const statusesOf = async (...ids: string[]) => (await Promise.all(ids.map(stateOf))).map((state) => state?.status);
    const [first, second, third, fourth] = [
      await request(key),
      await request(key),
      await request(key),
      await request(key),
    ];
    await want(first);
    await addWaiter(store, key, { account, export_id: second });
    await change({ type: 'fail', error: 'The file could not be prepared.' });
    await want(third);
    await addWaiter(store, key, { account, export_id: fourth });
    const running = await completeExports(bus, store, log);
    try {
      await eventually(async () => assert.deepEqual(await statusesOf(first, second), ['failed', 'failed']));
      const file = { storage_key: 's', bytes: 1, row_count: 1, markets: 1, sha256: 'h' };
      await change({ type: 'complete', file, manifest: '' });
      await eventually(async () => assert.deepEqual(await statusesOf(third, fourth), ['ready', 'ready']));
    } finally {
      await running.stop();
    }
  });
});
