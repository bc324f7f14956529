import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, endOf, ensureStream, follow, type KeyMarks, publishStored, subjects } from '@almanac/bus';
import { keysHeartbeat, type KeysHeartbeat } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually, suspendProcess } from '@almanac/testing';
import { z } from 'zod';
import { heartbeatMs, startHeartbeat } from './heartbeat.js';
import { recentChanges } from './recent-changes.js';
import { callsOf, startFixture, type KeysFixture } from './testing/fixture.js';

describe('the heartbeat of the keys service', () => {
  let fixture: KeysFixture;
  let service: { stop(): Promise<void> };
  const received: KeysHeartbeat[] = [];
  before(async () => {
    fixture = await startFixture();
    fixture.gateway.nc.subscribe(subjects.keysHeartbeat, {
      callback: (error, message) => {
        if (error) throw error;
        received.push(keysHeartbeat.parse(message.json()));
      },
    });
    service = await fixture.start();
    await fixture.startCommerce();
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
  });
  const next = async (): Promise<KeysHeartbeat> => {
    const { length } = received;
    return eventually(() => received[length] ?? assert.fail('no heartbeat'));
  };

  it('repeats, and carries the position of EVT_KEYS', async () => {
    const calls = callsOf(fixture);
    const account = await fixture.openAccount('pro');
    let seen = 0;
    const following = await follow(fixture.gateway, {
      stream: 'EVT_KEYS',
      from: 'first',
      state: z.unknown(),
      onEvent: ({ seq }) => (seen = seq),
      onUnreadable: (error) => assert.fail(String(error)),
    });
    for (let n = 1; n <= 3; n += 1) {
      await calls.create(account, `k${n}`);
      await eventually(() => assert.ok(received.some(({ seq }) => seq >= n)));
    }
    await eventually(() => assert.equal(seen, 3));
    await following.stop();
    assert.equal((await next()).seq, seen);
    const from = received.length;
    await eventually(() => assert.ok(received.length >= from + 5));
  });

  it('carries the positions of the other streams that gateways follow, as far as they exist', async () => {
    const before_ = await next();
    await fixture.openAccount('pro');
    await eventually(async () => assert.equal((await next()).commerce, (before_.commerce ?? 0) + 1));
    const { archive, catalog } = await next();
    assert.deepEqual([archive, catalog], [undefined, undefined]);
  });

  it('says how old it is, and is not sent if its position was answered very late', async () => {
    await next();
    const { length } = fixture.logged();
    const loggedSince = () => fixture.logged().slice(length);
    const from = received.length;
    const goOn = await suspendProcess(fixture.nats.pid);
    try {
      await eventually(() => assert.match(loggedSince(), /no heartbeat/));
    } finally {
      goOn();
    }
    await next();
    await eventually(() => assert.match(loggedSince(), /the heartbeat works again/));
    const ages = received.slice(from).map(({ clock }) => clock?.age_ms ?? assert.fail('without an age'));
    assert.ok(Math.max(...ages) > 500, `those that waited for the server: ${ages.join(' ')}`);
  });

  it('continues after the server was lost', async () => {
    const { seq } = await next();
    await fixture.nats.restart();
    assert.equal((await next()).seq, seq);
  });

  describe('of a cluster', () => {
    const connect = () => connectBus({ url: fixture.nats.url, user: 'keys', password: 'test' });
    const log = createLogger('test', 'silent');

    it('is not sent while no majority acknowledges the message', async () => {
      await service.stop();
      const bus = await connect();
      let hasMajority = false;
      let attempts = 0;
      // Stands in for the leader that lost its replicas: it reports its position, and stores nothing.
      const marks: KeyMarks = {
        majorityWithin: () => Promise.resolve(0),
        confirm: () => {
          attempts += 1;
          const majority = hasMajority ? Promise.resolve() : Promise.reject(new Error('no acknowledgement'));
          const mark = majority.then(() => 0);
          for (const promise of [majority, mark]) promise.catch(() => undefined);
          return { majority, mark };
        },
        mark: () => Promise.resolve(),
        begin: () => Promise.resolve(),
      };
      const heartbeat = startHeartbeat({ bus, log, marks, changes: recentChanges() });
      try {
        const { length } = received;
        await eventually(() => assert.ok(attempts >= 5));
        await bus.nc.flush();
        await fixture.gateway.nc.flush();
        assert.equal(received.length, length);
        hasMajority = true;
        await next();
      } finally {
        await heartbeat.stop();
        await bus.close();
        service = await fixture.start();
      }
    });

    it('requests the end of EVT_KEYS only while there is no mark', async (t) => {
      await service.stop();
      const bus = await connect();
      const requested: string[] = [];
      const request = bus.streams.request.bind(bus.streams);
      t.mock.method(bus.streams, 'request', (...message: Parameters<typeof request>) => {
        requested.push(message[0]);
        return request(...message);
      });
      const isForKeys = (subject: string): boolean => subject.includes('EVT_KEYS');
      let marked: number | undefined = 4_000;
      const marks: KeyMarks = {
        majorityWithin: () => Promise.resolve(0),
        confirm: () => {
          const mark = marked === undefined ? Promise.reject(new Error('no mark')) : Promise.resolve(marked);
          mark.catch(() => undefined);
          return { majority: Promise.resolve(), mark };
        },
        mark: () => Promise.resolve(),
        begin: () => Promise.resolve(),
      };
      const heartbeat = startHeartbeat({ bus, log, marks, changes: recentChanges() });
      try {
        const isMarked = async () => assert.equal((await next()).seq, 4_000);
        for (let sent = 0; sent < 4; sent += 1) await eventually(isMarked);
        assert.deepEqual(requested.filter(isForKeys), []);
        marked = undefined;
        const { seq } = await eventually(async () => {
          const heartbeatOfEnd = await next();
          assert.notEqual(heartbeatOfEnd.seq, 4_000);
          return heartbeatOfEnd;
        });
        assert.deepEqual([seq], await endOf(bus, 'EVT_KEYS'));
        assert.ok(requested.some(isForKeys));
      } finally {
        await heartbeat.stop();
        await bus.close();
        service = await fixture.start();
      }
    });
  });

  it('ends with the service', async () => {
    await next();
    await service.stop();
    await fixture.gateway.nc.flush();
    const { length } = received;
    // An unwanted heartbeat can only be detected by waiting.
    await delay(3 * heartbeatMs);
    assert.equal(received.length, length);
    service = await fixture.start();
    await next();
  });
});

describe('the heartbeat over four partitions of EVT_ARCHIVE and EVT_CATALOG', () => {
  it('carries the last sequence of each', async () => {
    const partitions = 4;
    const fixture = await startFixture(partitions);
    const catalog = await connectBus({ url: fixture.nats.url, user: 'catalog', password: 'test', partitions });
    let last: KeysHeartbeat | undefined;
    fixture.gateway.nc.subscribe(subjects.keysHeartbeat, {
      callback: (_, message) => void (last = keysHeartbeat.parse(message.json())),
    });
    const service = await fixture.start();
    try {
      await eventually(() => assert.ok(last));
      assert.equal(last?.archive, undefined, 'it does not exist yet');
      await ensureStream(catalog, 'EVT_ARCHIVE');
      await eventually(() => assert.deepEqual(last?.archive, [0, 0, 0, 0]));
      for (let n = 0; n < 20; n += 1) {
        const data = Buffer.from(JSON.stringify({ n }));
        await publishStored(catalog, subjects.archive(`M-${n}`), { data, options: {} });
      }
      const end = await endOf(catalog, 'EVT_ARCHIVE');
      assert.ok(end.every((seq) => seq > 0));
      await eventually(() => assert.deepEqual(last?.archive, end));
      await ensureStream(catalog, 'EVT_CATALOG');
      await publishStored(catalog, subjects.market('M'), { data: Buffer.from('{}'), options: {} });
      const catalogueEnd = await endOf(catalog, 'EVT_CATALOG');
      await eventually(() => assert.deepEqual(last?.catalog, catalogueEnd));
    } finally {
      await service.stop();
      await catalog.close();
      await fixture.stop();
    }
  });
});
