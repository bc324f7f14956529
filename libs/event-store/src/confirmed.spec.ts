import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { execute } from './decider.js';
import { type EventStore, loadOrConfirm, UnknownOutcomeError } from './event-store.js';
import { addition, counter, counterState } from './testing/test-counter.js';
import { memoryStore } from './testing/memory-store.js';

const subject = 'evt.export.counter';
const refused = (error: unknown): boolean => error instanceof DomainError && error.code === 'payment_required';
const asAccount = { account: 'a' } as const;

/** A leader that was cut off answers loads as before the last change, until somebody asks whether others follow it. */
const cutOff = async () => {
  const [store, before] = [memoryStore(), memoryStore()];
  for (const one of [store, before]) await execute(one, counter, addition(subject, 'first', { by: 1, tag: 'old' }));
  await execute(store, counter, addition(subject, 'second', { by: 10 }));
  let [isOld, confirmed] = [true, 0];
  const leader: EventStore = {
    ...store,
    load: (at, state) => (isOld ? before : store).load(at, state),
    confirmed: (at, state) => {
      confirmed += 1;
      isOld = false;
      return store.load(at, state);
    },
  };
  return { leader, store, confirmed: () => confirmed };
};

describe('a leader that was cut off', () => {
  it('refuses nothing that the last state allows', async () => {
    const { leader } = await cutOff();
    assert.equal((await execute(leader, counter, addition(subject, 'third', { by: -5 })))?.state.sum, 6);
  });

  it('refuses what the last state refuses, too', async () => {
    const { leader, confirmed } = await cutOff();
    await assert.rejects(execute(leader, counter, addition(subject, 'third', { by: -50 })), refused);
    assert.equal(confirmed(), 2);
  });

  it('tells an account that nothing changed only of the last state', async () => {
    const { leader } = await cutOff();
    const again = { ...addition(subject, 'third', { by: 1, tag: 'old' }), ...asAccount };
    assert.deepEqual(await execute(leader, counter, again), {
      state: { sum: 11, tags: ['old'] },
      seq: 2,
      changed: false,
    });
  });

  it('is not asked for a command without an account that changes nothing, nor for one that stores an event', async () => {
    const { leader, store, confirmed } = await cutOff();
    const again = addition(subject, 'third', { by: 1, tag: 'old' });
    assert.equal((await execute(leader, counter, again))?.changed, false);
    const current: EventStore = { ...store, confirmed: (...args) => leader.confirmed(...args) };
    await execute(current, counter, addition(subject, 'fourth', { by: 1 }));
    assert.equal(confirmed(), 0);
  });

  it('gets no refusal through while nobody can say whether it is followed', async () => {
    const { leader } = await cutOff();
    const unfollowed: EventStore = {
      ...leader,
      confirmed: () => Promise.reject(new UnknownOutcomeError('no majority')),
    };
    await assert.rejects(
      execute(unfollowed, counter, addition(subject, 'third', { by: -5 }, 120)),
      (error) => error instanceof DomainError && error.code === 'unavailable',
    );
  });

  it('lacks nothing that a caller looks for', async () => {
    const has = ({ sum }: { sum: number }): boolean => sum === 11;
    const { leader, confirmed } = await cutOff();
    assert.equal((await loadOrConfirm(leader, { subject, state: counterState }))?.state.sum, 1);
    assert.equal(confirmed(), 0);
    assert.equal((await loadOrConfirm(leader, { subject, state: counterState, has }))?.state.sum, 11);
    assert.equal(await loadOrConfirm(leader, { subject: 'evt.export.none', state: counterState }), undefined);
    assert.equal(confirmed(), 2);
  });
});
