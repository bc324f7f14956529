import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ConfiguredNatsCluster,
  configuredNatsCluster,
  eventually,
  suspendProcess,
  tcpLink,
} from '@almanac/testing';
import { type AdminBus, connectBus, type Running } from '../bus.js';
import { subjects } from '../names.js';
import { receivers } from '../testing/receivers.js';
import { appendCounts, emptyStreams, startTestBus, type TestBus } from '../testing/test-bus.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';

const stream = 'EVT_CATALOG';
const subject = subjects.market('A');
/** Longer than a client waits for a heartbeat of a consumer. */
const stallMs = 8_000;
const waitMs = 60_000;

for (const [kind, receive] of Object.entries(receivers)) {
  describe(`${kind} gets every event again`, { timeout: 300_000 }, () => {
    let nats: TestBus;
    let admin: AdminBus;
    let running: Running | undefined;
    let got = new Set<number>();
    before(async () => {
      nats = await startTestBus();
      admin = await nats.connect('admin');
    });
    beforeEach(async () => {
      got = new Set();
      await emptyStreams(admin, stream);
    });
    afterEach(async () => {
      await running?.stop();
      running = undefined;
    });
    after(() => nats.stop());

    const isReceiving = async (upTo: number): Promise<void> =>
      eventually(
        () =>
          assert.deepEqual(
            [...got].toSorted((a, b) => a - b),
            upToNumbers(upTo),
          ),
        { timeoutMs: waitMs },
      );
    const start = async (bus: AdminBus): Promise<void> => {
      running = await receive(bus, got);
      await appendCounts(admin, subject, [1, 2]);
      await isReceiving(2);
    };

    it('after its consumer was deleted', async () => {
      await start(await nats.connect('catalog'));
      for await (const { name } of admin.jsm.consumers.list(stream)) await admin.jsm.consumers.delete(stream, name);
      await appendCounts(admin, subject, [3, 4]);
      await isReceiving(4);
    });

    it('after its server was frozen', async () => {
      await start(await nats.connect('catalog'));
      const goOn = await suspendProcess(nats.server.pid);
      await delay(stallMs);
      goOn();
      await appendCounts(admin, subject, [3, 4]);
      await isReceiving(4);
    });

    it('after no byte passed although its connection stayed open', async () => {
      const link = await tcpLink();
      link.leadTo(Number(new URL(nats.server.url).port));
      const bus = await connectBus({ url: `nats://127.0.0.1:${link.port}`, user: 'catalog', password: 'test' });
      try {
        await start(bus);
        const stalled = link.stall(stallMs);
        await appendCounts(admin, subject, [3, 4]);
        await stalled;
        await isReceiving(4);
      } finally {
        await running?.stop();
        running = undefined;
        await bus.close();
        await link.close();
      }
    });
  });
}

const upToNumbers = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

describe('on a cluster of three, while a server stays away', { timeout: 600_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  const open: AdminBus[] = [];
  const running: Running[] = [];
  before(async () => {
    cluster = await configuredNatsCluster();
    await cluster.allHealthy();
  });
  after(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await Promise.all(open.map((bus) => bus.close()));
    await cluster.stop();
  });
  const connect = async (): Promise<AdminBus> => {
    const options = { url: cluster.url, user: 'catalog', password: cluster.passwordOf('catalog'), replicas: 3 };
    const bus = await connectBus(options);
    open.push(bus);
    return bus;
  };

  const all = Array.from({ length: 10 }, () => new Set<number>());
  const allHave = (count: number): Promise<void> =>
    eventually(
      () =>
        assert.deepEqual(
          all.map((got) => got.size),
          all.map(() => count),
        ),
      { timeoutMs: waitMs },
    );
  const loseServer = async (how: 'kill' | 'end', count: number): Promise<string> => {
    const name = cluster.names[count % cluster.names.length] ?? assert.fail();
    await cluster[how](name);
    const bus = open[0] ?? assert.fail();
    await eventually(() => appendCounts(bus, subject, [count, count]), { timeoutMs: waitMs });
    await allHave(count);
    return name;
  };

  it('that was killed, ten followers get every event, wherever their consumers were', async () => {
    const bus = await connect();
    await eventually(() => ensureStream(bus, stream), { timeoutMs: waitMs });
    await ensureDeadLetters(bus);
    for (const got of all) running.push(await (receivers['follow'] ?? assert.fail())(await connect(), got));
    // Other servers than the leader learn a moment later that somebody answers for a new stream.
    await eventually(() => appendCounts(bus, subject, [1, 1]), { timeoutMs: waitMs });
    await allHave(1);
    await cluster.start(await loseServer('kill', 2));
    await cluster.allHealthy();
  });

  it('that was stopped in order, they do too: its consumers are offline, not gone', async () => {
    await loseServer('end', 3);
  });
});
