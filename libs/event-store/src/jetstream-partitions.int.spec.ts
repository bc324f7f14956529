import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, natsAccounts, nextMessage, subjects } from '@almanac/bus';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { execute } from './decider.js';
import { jetStreamStore } from './jetstream-store.js';
import { eventStoreSuite } from './testing/event-store-suite.js';
import { addition, counter, counterState } from './testing/test-counter.js';

const stream = 'EVT_CATALOG';
const partitions = 4;

describe('the store on a stream with four partitions', () => {
  let nats: TestNats;
  let bus: AdminBus;
  const connect = () => connectBus({ url: nats.url, user: 'catalog', password: 'test', partitions });

  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test', {}, partitions) });
    bus = await connect();
    await ensureStream(bus, stream);
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  const stored = async (subject: string): Promise<string[]> => {
    const texts: string[] = [];
    for (let seq = 1; ;) {
      const message = await nextMessage(bus, stream, { subject, seq });
      if (message === null) return texts;
      texts.push(Buffer.from(message.data).toString('utf8'));
      seq = message.seq + 1;
    }
  };

  eventStoreSuite(() => ({ store: jetStreamStore(bus), subject: subjects.market, stored }));

  it('loses and doubles no append of several processes over kills of the server', async () => {
    const processes = await Promise.all([connect(), connect(), connect()]);
    const stores = processes.map(jetStreamStore);
    const at = Array.from({ length: 4 }, (_, n) => subjects.market(`KILLED-${n}`));
    const each = 30;
    let done = 0;
    const runs = at.flatMap((subject) =>
      Array.from({ length: each }, async (_, n) => {
        const store = stores[n % stores.length] ?? assert.fail();
        await execute(store, counter, addition(subject, `${subject}-${n}`, { by: 1 }, 120_000));
        done += 1;
      }),
    );
    for (const share of [0.2, 0.5, 0.8]) {
      await eventually(() => assert.ok(done >= at.length * each * share), { timeoutMs: 120_000 });
      await nats.restart();
    }
    await Promise.all(runs);
    for (const subject of at) {
      assert.equal((await jetStreamStore(bus).load(subject, counterState))?.state.sum, each);
      assert.equal((await stored(subject)).length, each);
    }
    await Promise.all(processes.map((one) => one.close()));
  });
});
