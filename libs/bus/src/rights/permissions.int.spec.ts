import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type UserName, userNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type AdminBus, isPermissionViolation } from '../bus.js';
import { lastMessage, lastMessageFromReplica } from '../streams/jetstream-reads.js';
import { consume } from '../consume/consume.js';
import { consumeBatches } from '../consume/consume-batches.js';
import { follow } from '../consume/follow.js';
import { deadLetterStream } from '../names.js';
import { appendCounts, counterState, startTestBus, subjectIn, type TestBus, failOnCall } from '../testing/test-bus.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';
import { allStreams, accessByUser } from '../testing/access-by-user.js';

/** What they refuse is in subject-rights.int.spec.ts. */
describe('the permissions of a NATS user', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const buses = new Map<UserName, AdminBus>();
  const busOf = (user: UserName): AdminBus => buses.get(user) ?? assert.fail(`${user} is not connected`);

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    for (const user of userNames) buses.set(user, await nats.connect(user));
  });
  after(() => nats.stop());

  it('let the services create their streams in any order, concurrently and repeatedly', async () => {
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(
        userNames.flatMap((user) => [
          ...accessByUser[user].owns.map((stream) => ensureStream(busOf(user), stream)),
          ...(accessByUser[user].consumes.length > 0 ? [ensureDeadLetters(busOf(user))] : []),
        ]),
      );
    }
    for (const name of [deadLetterStream, ...allStreams])
      assert.equal((await admin.jsm.streams.info(name)).config.name, name);
  });

  for (const user of userNames) {
    it(`let ${user} append and read states, from the leader and from replicas`, async () => {
      for (const [stream, ids] of accessByUser[user].appends)
        await appendCounts(busOf(user), subjectIn(stream, ids), [1, 2]);
      for (const stream of accessByUser[user].reads) {
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
      for (const stream of accessByUser[user].follows) {
        await appendCounts(admin, subjectIn(stream, 'followed', user), [1, 2]);
        let seen = 0;
        const following = await follow(busOf(user), { ...options, stream, from: 'first', onEvent: () => (seen += 1) });
        await following.caughtUp;
        assert.ok(seen >= 2);
        await following.stop();
      }
      for (const [stream, durable] of [...accessByUser[user].consumes, ...accessByUser[user].subscribesTo]) {
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
  }

  it('are reported to the process when it exceeds them', async () => {
    const seen: unknown[] = [];
    const statuses = busOf('ingest').nc.status();
    void (async () => {
      for await (const status of statuses) if (status.type === 'error') seen.push(status.error);
    })();
    busOf('ingest').nc.publish('evt.keys.a', '{}');
    await eventually(() => assert.ok(seen.some(isPermissionViolation)));
  });
});
