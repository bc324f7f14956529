import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serviceNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { AckPolicy } from '@nats-io/jetstream';
import { type AdminBus, isPermissionViolation } from './bus.js';
import { lastMessage, lastMessageFromReplica } from './jetstream-reads.js';
import { consume } from './consume.js';
import { consumeBatches } from './consume-batches.js';
import { follow } from './follow.js';
import { deadLetterStream, inboxOf, subjects, type UserName, userNames } from './names.js';
import { appendCounts, counterState, startTestBus, subjectIn, type TestBus, failOnCall } from './testing/test-bus.js';
import { ensureDeadLetters, ensureStream } from './streams.js';
import { allContracts, allStreams, servedBy, expectedAccess } from './testing/test-permissions.js';

describe('the permissions of a NATS user', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const buses = new Map<UserName, AdminBus>();
  const busOf = (user: UserName): AdminBus => buses.get(user) ?? assert.fail(`${user} is not connected`);

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    for (const user of userNames) buses.set(user, await nats.connect(user));
    admin.nc.subscribe('rpc.>', { callback: (_, message) => void message.respond('ok') });
  });
  after(() => nats.stop());

  it('let the services create their streams in any order, concurrently and repeatedly', async () => {
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(
        userNames.flatMap((user) => [
          ...expectedAccess[user].owns.map((stream) => ensureStream(busOf(user), stream)),
          ...(expectedAccess[user].consumes.length > 0 ? [ensureDeadLetters(busOf(user))] : []),
        ]),
      );
    }
    for (const name of [deadLetterStream, ...allStreams])
      assert.equal((await admin.jsm.streams.info(name)).config.name, name);
  });

  for (const user of userNames) {
    it(`let ${user} append and read states, from the leader and from replicas`, async () => {
      for (const [stream, ids] of expectedAccess[user].appends)
        await appendCounts(busOf(user), subjectIn(stream, ids), [1, 2]);
      for (const stream of expectedAccess[user].reads) {
        await appendCounts(admin, subjectIn(stream, 'read', user), [1, 2]);
        const subject = subjectIn(stream, 'read', user);
        assert.ok(await lastMessage(busOf(user), stream, subject));
        assert.ok(await lastMessageFromReplica(busOf(user), stream, subject));
        assert.equal(await lastMessage(busOf(user), stream, `${subject}.none`), null);
        assert.equal(await lastMessageFromReplica(busOf(user), stream, `${subject}.none`), null);
      }
    });

    it(`let ${user} follow and consume`, async () => {
      const options = { state: counterState, onFailure: failOnCall, onUnreadable: failOnCall };
      for (const stream of expectedAccess[user].follows) {
        await appendCounts(admin, subjectIn(stream, 'followed', user), [1, 2]);
        let seen = 0;
        const following = await follow(busOf(user), { ...options, stream, from: 'first', onEvent: () => (seen += 1) });
        await following.caughtUp;
        assert.ok(seen >= 2);
        await following.stop();
      }
      for (const [stream, durable] of [...expectedAccess[user].consumes, ...expectedAccess[user].subscribesTo]) {
        await appendCounts(admin, subjectIn(stream, 'consumed', user), [1, 2]);
        let handled = 0;
        const one = await consume(busOf(user), {
          ...options,
          stream,
          durable,
          concurrency: 2,
          handle: async () => void (handled += 1),
        });
        await eventually(() => assert.ok(handled >= 2));
        await one.stop();
        const batches = await consumeBatches(busOf(user), {
          ...options,
          stream,
          durable,
          batchMax: 10,
          handle: async (messages) => void (handled += messages.length),
        });
        await appendCounts(admin, subjectIn(stream, 'consumed', user), [3, 4]);
        await eventually(() => assert.ok(handled >= 4));
        await batches.stop();
      }
    });

    it(`let ${user} call what it needs and nothing else`, async () => {
      for (const contract of allContracts) {
        const pendingReply = busOf(user).nc.request(subjects.rpc(contract), '', { timeout: 30_000 });
        if (expectedAccess[user].calls.includes(contract)) assert.equal((await pendingReply).string(), 'ok');
        else await refused(pendingReply, subjects.rpc(contract));
      }
    });

    it(`let ${user} store dead letters exactly if it reads events`, async () => {
      const { reads, follows, consumes } = expectedAccess[user];
      const stored = busOf(user).js.publish(subjects.unreadable('EVT_KEYS', userNames.indexOf(user) + 1));
      if (reads.length + follows.length + consumes.length > 0) assert.equal((await stored).stream, deadLetterStream);
      else await refused(stored, 'store a dead letter');
    });

    it(`keep ${user} out of the streams of others`, async () => {
      const { appends, reads, owns } = expectedAccess[user];
      for (const stream of allStreams) {
        if (!appends.some(([own]) => own === stream)) {
          await refused(busOf(user).js.publish(subjectIn(stream, 'x', 'y'), '{}'), `append ${stream}`);
        }
        if (!reads.includes(stream))
          await refused(lastMessage(busOf(user), stream, subjectIn(stream, 'x')), `read ${stream}`);
        if (!owns.includes(stream)) await refused(ensureStream(busOf(user), stream), `make ${stream}`);
        await refused(busOf(user).jsm.streams.delete(stream), `delete ${stream}`);
        await refused(busOf(user).jsm.streams.purge(stream), `purge ${stream}`);
        const received = [...expectedAccess[user].consumes, ...expectedAccess[user].subscribesTo].some(
          ([own]) => own === stream,
        );
        if (!received && !expectedAccess[user].follows.includes(stream)) {
          const config = { durable_name: user, ack_policy: AckPolicy.Explicit };
          await refused(busOf(user).jsm.consumers.add(stream, config), `consume ${stream}`);
        }
      }
    });

    it(`keep ${user} from listening to the inboxes and calls of others`, async () => {
      const others = userNames.filter((other) => other !== user);
      for (const other of others) await refusedToListen(busOf(user), `${inboxOf(other)}.>`);
      for (const service of serviceNames) {
        if (service === servedBy(user)) continue;
        await refusedToListen(busOf(user), `rpc.${service}.v1.*`);
        await refusedToListen(busOf(user), subjects.cancel(service));
      }
      for (const wide of ['>', '_INBOX.>', 'evt.>', '$JS.>']) await refusedToListen(busOf(user), wide);
    });
  }

  it('let a service answer its callers and nobody else', async () => {
    await canReach('keys', 'gateway');
    await canReach('catalog', 'ingest');
    await canReach('gateway', 'timeseries');
    await cannotReach('keys', 'ingest');
    await cannotReach('commerce', 'timeseries');
    await cannotReach('ingest', 'gateway');
    await cannotReach('gateway', 'ingest');
  });

  it('are reported to the process when it exceeds them', async () => {
    const seen: unknown[] = [];
    const statuses = busOf('ingest').nc.status();
    void (async () => {
      for await (const status of statuses) if (status.type === 'error') seen.push(status.error);
    })();
    busOf('ingest').nc.publish('evt.keys.a', '{}');
    await eventually(() => assert.ok(seen.some(isPermissionViolation)));
  });

  const canReach = async (from: UserName, to: UserName) => {
    let received = 0;
    const listening = busOf(to).nc.subscribe(`${inboxOf(to)}.x`, { callback: () => void (received += 1) });
    await busOf(to).nc.flush();
    busOf(from).nc.publish(`${inboxOf(to)}.x`);
    await eventually(() => assert.equal(received, 1));
    listening.unsubscribe();
  };
  const cannotReach = async (from: UserName, to: UserName) => {
    await refused(busOf(from).nc.request(`${inboxOf(to)}.x`, '', { timeout: 30_000 }), `${from} to ${to}`);
  };
});

const refused = (attempt: Promise<unknown>, what: string): Promise<void> =>
  assert.rejects(attempt, (error) => {
    assert.ok(isPermissionViolation(error), `${what}: ${String(error)}`);
    return true;
  });

const refusedToListen = async (bus: AdminBus, subject: string): Promise<void> => {
  for (const connection of [bus.nc, bus.streams]) {
    const error = await new Promise((resolve) => {
      connection.subscribe(subject, { callback: (failure) => resolve(failure) });
    });
    assert.ok(isPermissionViolation(error), subject);
  }
};
