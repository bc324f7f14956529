import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { forEachConcurrent } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { callsOf, startFixture, storeExport, type WebhooksFixture } from '../testing/fixture.js';
import { type Receiver, startReceiver } from '../testing/receiver.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const waitMs = 90_000;

describe('processes that are killed', { timeout: 280_000 }, () => {
  let fixture: WebhooksFixture;
  let receiver: Receiver;
  const processes = new Set<ChildProcess>();
  before(async () => {
    fixture = await startFixture();
    receiver = await startReceiver();
  });
  after(async () => {
    for (const one of processes) one.kill('SIGKILL');
    await receiver.stop();
    await fixture.stop();
  });

  const startProcess = (): ChildProcess => {
    const started = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...fixture.environment },
      stdio: 'ignore',
    });
    processes.add(started);
    return started;
  };
  const kill = async (one: ChildProcess): Promise<void> => {
    one.kill('SIGKILL');
    await once(one, 'exit');
    processes.delete(one);
  };

  it('lose no delivery, and each export has its events in order', async () => {
    let [one, other] = [startProcess(), startProcess()];
    const accounts = Array.from({ length: 6 }, () => callsOf(fixture));
    await eventually(() => accounts[0]?.list(), { timeoutMs: waitMs });
    for (const calls of accounts)
      await calls.create({ url: receiver.url, events: ['export.created', 'export.ready', 'export.failed'] });
    let answered = 0;
    // Some answers are failures, and the kills come while deliveries are under way.
    receiver.answer = () => ((answered += 1) % 17 === 0 ? 500 : 200);
    const exports_: string[] = [];
    const storing = forEachConcurrent(accounts, 6, async ({ account }) => {
      for (let n = 0; n < 12; n += 1)
        exports_.push(await storeExport(fixture, account, { types: ['ExportRequested', 'ExportReady'] }));
    });
    await eventually(() => assert.ok(receiver.received.length > 20), { timeoutMs: waitMs });
    await kill(one);
    one = startProcess();
    await storing;
    await eventually(() => assert.ok(receiver.received.length > 40), { timeoutMs: waitMs });
    await Promise.all([kill(one), kill(other)]);
    [one, other] = [startProcess(), startProcess()];
    receiver.answer = () => 200;
    const firstOf = (id: string): string[] => [
      ...new Set(receiver.received.filter(({ body }) => body.data['id'] === id).map(({ body }) => body.type)),
    ];
    await eventually(
      () => {
        for (const id of exports_) assert.deepEqual(firstOf(id), ['export.created', 'export.ready'], id);
      },
      { timeoutMs: waitMs },
    );
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    assert.equal(ids.size, 2 * exports_.length);
  });

  it('continue after nats-server was killed', async () => {
    const calls = callsOf(fixture);
    await calls.create({ url: receiver.url, events: ['export.created', 'export.ready'] });
    receiver.received.splice(0);
    const stored: string[] = [];
    for (let n = 0; n < 15; n += 1)
      stored.push(await storeExport(fixture, calls.account, { types: ['ExportRequested', 'ExportReady'] }));
    await fixture.nats.restart();
    await eventually(
      () => {
        const first = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
        for (const id of stored) {
          const types = [...first.values()].filter(({ data }) => data['id'] === id).map(({ type }) => type);
          assert.deepEqual(types, ['export.created', 'export.ready'], id);
        }
      },
      { timeoutMs: waitMs },
    );
  });

  it('share the work, and a process that stops returns its share at once', async () => {
    const calls = callsOf(fixture);
    const webhooks = await Promise.all(
      Array.from({ length: 20 }, () => calls.create({ url: receiver.url, events: ['export.ready'] })),
    );
    const [first] = processes;
    assert.ok(first);
    first.kill('SIGTERM');
    await once(first, 'exit');
    processes.delete(first);
    receiver.received.splice(0);
    for (const { id } of webhooks) await calls.test(id);
    await eventually(() => assert.ok(receiver.received.length >= 20), { timeoutMs: waitMs });
  });
});
