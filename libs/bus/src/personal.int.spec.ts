import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, isPermissionViolation, isWrongSequence } from './bus.js';
import { personalStream, subjects, userNames } from './names.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';
import { ensurePersonal } from './streams.js';

describe('the bucket of personal records', () => {
  let nats: TestBus;
  let commerce: AdminBus;
  const subject = subjects.person('a');
  const last = () => commerce.jsm.streams.getMessage(personalStream, { last_by_subj: subject });
  before(async () => {
    nats = await startTestBus();
    commerce = await nats.connect('commerce');
  });
  after(() => nats.stop());

  it('is created by several processes at once, and repeatedly', async () => {
    await Promise.all([ensurePersonal(commerce), ensurePersonal(commerce)]);
    await ensurePersonal(commerce);
  });

  it('keeps the last value of a key until the key is erased', async () => {
    const expect = { streamName: personalStream, lastSubjectSequence: 0 };
    await commerce.js.publish(subject, 'first', { expect });
    await assert.rejects(commerce.js.publish(subject, 'second', { expect }), isWrongSequence);
    const { seq } = await commerce.js.publish(subject, 'third');
    assert.equal((await last())?.string(), 'third');
    assert.equal((await commerce.jsm.streams.info(personalStream)).state.messages, 1);
    await commerce.jsm.streams.deleteMessage(personalStream, seq);
    assert.equal(await last(), null);
    await commerce.js.publish(subject, 'fourth', { expect });
  });

  it('is read, written and erased by commerce alone', async () => {
    const { seq } = (await last()) ?? assert.fail();
    for (const user of userNames.filter((other) => other !== 'commerce')) {
      const bus = await nats.connect(user);
      const { streams, consumers, direct } = bus.jsm;
      const attempts = {
        write: () => bus.js.publish(subject, 'x'),
        read: () => streams.getMessage(personalStream, { seq }),
        'read nearby': () => direct.getMessage(personalStream, { seq }),
        follow: () => consumers.add(personalStream, { name: 'c', filter_subject: subject }),
        erase: () => streams.deleteMessage(personalStream, seq),
        purge: () => streams.purge(personalStream),
        listen: () => received(bus, subject),
      };
      for (const [what, attempt] of Object.entries(attempts)) {
        await assert.rejects(async () => attempt(), isPermissionViolation, `${user}: ${what}`);
      }
    }
    await assert.rejects(received(commerce, subject), isPermissionViolation);
    assert.equal((await last())?.string(), 'fourth');
  });
});

/** Rejects when the subscription is refused. */
const received = (bus: AdminBus, subject: string): Promise<void> =>
  new Promise((resolve, reject) => {
    bus.streams.subscribe(subject, { callback: (error) => (error ? reject(error) : resolve()) });
  });
