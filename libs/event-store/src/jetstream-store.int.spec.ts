import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, isPermissionViolation, natsAccounts } from '@almanac/bus';
import { archiveState, type ArchiveState, DomainError } from '@almanac/contracts';
import { eventually, suspendProcess, testNats, type TestNats } from '@almanac/testing';
import { dataVersionDecider, recordDataChange } from './data-version.js';
import { execute } from './decider.js';
import { UnknownOutcomeError } from './event-store.js';
import { eventStoreSuite } from './testing/event-store-suite.js';
import { jetStreamStore } from './jetstream-store.js';
import { addition, counter, counterEvent, counterState } from './testing/test-counter.js';

describe('the store on JetStream', () => {
  let nats: TestNats;
  let bus: AdminBus;
  const connect = (user: string) => connectBus({ url: nats.url, user, password: 'test' });

  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test', { admin: 'test' }) });
    bus = await connect('export');
    await ensureStream(bus, 'EVT_EXPORT');
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  const stored = async (on: AdminBus, subject: string): Promise<string[]> => {
    const texts: string[] = [];
    const { state } = await on.jsm.streams.info('EVT_EXPORT');
    // Reads every sequence from the leader: the user may create no other consumer than its own.
    for (let seq = 1; seq <= state.last_seq; seq += 1) {
      const message = await on.jsm.streams.getMessage('EVT_EXPORT', { seq });
      if (message?.subject === subject) texts.push(message.string());
    }
    return texts;
  };

  eventStoreSuite(() => ({
    store: jetStreamStore(bus),
    subject: (name) => `evt.export.suite.${name}`,
    stored: (subject) => stored(bus, subject),
  }));

  it('has an unknown outcome, so that it is tried again, while a cluster is still storing the id', async () => {
    const admin = await connectBus({ url: nats.url, user: 'admin', password: 'test' });
    const answer = JSON.stringify({
      error: { code: 409, err_code: 10158, description: 'duplicate message id is in process' },
    });
    // No stream has this subject, so this subscription answers in its place.
    const inPlaceOfStream = await admin.connectTo('EVT_FILE');
    inPlaceOfStream.subscribe('evt.file.k', { callback: (_error, message) => void message.respond(answer) });
    await inPlaceOfStream.flush();
    const append = jetStreamStore(admin).append('evt.file.k', counterEvent('in-process', 1), 0);
    await assert.rejects(append, UnknownOutcomeError);
    await Promise.all([inPlaceOfStream.close(), admin.close()]);
  });

  it('lets two processes decide concurrently without losing a change', async () => {
    const other = await connect('commerce');
    const stores = [jetStreamStore(bus), jetStreamStore(other)];
    const at = 'evt.export.a.two';
    const runs = Array.from({ length: 20 }, (_, n) => {
      const store = stores[n % 2] ?? assert.fail();
      return execute(store, counter, addition(at, `two-${n}`, { by: 1 }, 60_000));
    });
    await Promise.all(runs);
    assert.equal((await jetStreamStore(bus).load(at, counterState))?.state.sum, 20);
    await other.close();
  });

  it('finishes a decision once after the server was frozen', async () => {
    const at = 'evt.export.a.frozen';
    const store = jetStreamStore(bus);
    await execute(store, counter, addition(at, 'frozen-1', { by: 1 }));
    const goOn = await suspendProcess(nats.pid);
    const running = execute(store, counter, addition(at, 'frozen-2', { by: 1 }, 60_000));
    // Longer than an append waits for its answer, so that its outcome is unknown.
    setTimeout(goOn, 4_000);
    assert.equal((await running)?.state.sum, 2);
    assert.equal((await stored(bus, at)).length, 2);
  });

  it('reports a missing permission to append at once, without retrying', async () => {
    // Its timeout is longer than the time limit of this file.
    const attempt = execute(jetStreamStore(bus), counter, addition('evt.keys.a', 'x', { by: 1 }, 600_000));
    await assert.rejects(attempt, isPermissionViolation);
  });

  it('reports an outage as unavailable, even for a stream that its owner has not created yet', async () => {
    const commerce = await connect('commerce');
    const store = jetStreamStore(commerce);
    const outage = (error: unknown) => error instanceof DomainError && error.code === 'unavailable';
    await assert.rejects(store.load('evt.commerce.a', counterState), outage);
    await assert.rejects(execute(store, counter, addition('evt.commerce.a', 'early', { by: 1 }, 200)), outage);
    await ensureStream(commerce, 'EVT_COMMERCE');
    assert.equal((await execute(store, counter, addition('evt.commerce.a', 'early', { by: 1 })))?.state.sum, 1);
    await commerce.close();
  });

  it('continues after the server was lost in the middle', async () => {
    const at = 'evt.export.a.lost';
    const store = jetStreamStore(bus);
    let done = 0;
    const runs = Array.from({ length: 40 }, async (_, n) => {
      await execute(store, counter, addition(at, `killed-${n}`, { by: 1 }, 60_000));
      done += 1;
    });
    await eventually(() => assert.ok(done > 5));
    await nats.restart();
    await Promise.all(runs);
    assert.equal((await store.load(at, counterState))?.state.sum, 40);
    assert.equal((await stored(bus, at)).length, 40);
  });

  it('counts every change of a market, and each given change id once', async () => {
    const timeseries = await connect('timeseries');
    await ensureStream(timeseries, 'EVT_ARCHIVE');
    const store = jetStreamStore(timeseries);
    const subject = 'evt.archive.market.A';
    // The stream has no more than the last three events of a market.
    const spans = [
      [5, 9],
      [null, null],
      [1, 12],
    ] as const;
    for (const [index, [min_us, max_us]] of spans.entries()) {
      const change = { ticker: 'A', cause: 'observations', rows: 1, min_us, max_us } as const;
      await recordDataChange(store, subject, change, { id: `change-${index}` });
      await recordDataChange(store, subject, change, { id: `change-${index}` });
    }
    const state = (await store.load(subject, archiveState))?.state;
    assert.deepEqual(state, { ticker: 'A', version: 3, min_us: 1, max_us: 12 });
    let folded: ArchiveState | undefined;
    for (let seq = 1; seq <= 3; seq += 1) {
      const event = (await timeseries.jsm.streams.getMessage('EVT_ARCHIVE', { seq }))?.json<
        ReturnType<typeof counterEvent>
      >();
      assert.ok(event);
      folded = dataVersionDecider('A').evolve(folded, event as never);
      assert.deepEqual(event.state, folded);
    }
    await timeseries.close();
  });
});
