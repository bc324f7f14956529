// oxlint-disable typescript/no-floating-promises, max-lines-per-function -- a suite of tests, which the runner waits for itself
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { execute } from '../decider.js';
import { ConflictError, type EventStore, UnknownOutcomeError } from '../event-store.js';
import { addition, counter, counterEvent, counterState } from './test-counter.js';

/** The store under test. Each test uses its own subject name. */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly subject: (name: string) => string;
  /** All stored messages of a subject, oldest first. */
  readonly stored: (subject: string) => Promise<string[]>;
}

export const eventStoreSuite = (get: () => StoreUnderTest): void => {
  it('loads nothing for an entity without events', async () => {
    const { store, subject } = get();
    assert.equal(await store.load(subject('none'), counterState), undefined);
  });

  it('loads the last event, with the sequence that the next append expects', async () => {
    const { store, subject } = get();
    const { seq: first } = await store.append(subject('last'), counterEvent('last-1', 1), 0);
    await store.append(subject('other'), counterEvent('other-1', 9), 0);
    const { seq: second } = await store.append(subject('last'), counterEvent('last-2', 2), first);
    assert.ok(second > first);
    assert.deepEqual(await store.load(subject('last'), counterState), {
      state: { sum: 2, tags: [] },
      seq: second,
      event: counterEvent('last-2', 2),
    });
  });

  it('refuses an append that expects another sequence, and stores nothing', async () => {
    const { store, subject, stored } = get();
    const at = subject('expected');
    await assert.rejects(store.append(at, counterEvent('e-0', 1), 7), ConflictError);
    const { seq: first } = await store.append(at, counterEvent('e-1', 1), 0);
    await assert.rejects(store.append(at, counterEvent('e-2', 2), 0), ConflictError);
    await store.append(at, counterEvent('e-3', 3), first);
    await assert.rejects(store.append(at, counterEvent('e-4', 4), first), ConflictError);
    assert.equal((await stored(at)).length, 2);
  });

  it('stores an event once, whatever sequence the second append expects', async () => {
    const { store, subject, stored } = get();
    const at = subject('once');
    const { seq: first } = await store.append(at, counterEvent('once-1', 1), 0);
    const { seq: second } = await store.append(at, counterEvent('once-2', 2), first);
    for (const expected of [0, first, second, 99_999]) {
      const again = await store.append(at, counterEvent('once-1', 5), expected);
      assert.deepEqual(again, { seq: first, duplicate: true });
    }
    assert.equal((await stored(at)).length, 2);
  });

  it('accepts one of many appends that expect the same sequence', async () => {
    const { store, subject, stored } = get();
    const at = subject('race');
    const attempts = Array.from({ length: 20 }, (_, n) => store.append(at, counterEvent(`race-${n}`, n), 0));
    const outcomes = await Promise.allSettled(attempts);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.ok(outcomes.every((one) => one.status === 'fulfilled' || one.reason instanceof ConflictError));
    assert.equal((await stored(at)).length, 1);
  });

  it('executes the first command, the next one, one without effect, and one that breaks a rule', async () => {
    const { store, subject, stored } = get();
    const at = subject('decides');
    const first = await execute(store, counter, addition(at, 'd-1', { by: 5, tag: 'a' }));
    assert.deepEqual(first, { state: { sum: 5, tags: ['a'] }, seq: first?.seq, changed: true });
    const again = await execute(store, counter, addition(at, 'd-2', { by: 5, tag: 'a' }));
    assert.deepEqual(again, { ...first, changed: false });
    const next = await execute(store, counter, addition(at, 'd-3', { by: -2 }));
    assert.equal(next?.state.sum, 3);
    const breaking = execute(store, counter, addition(at, 'd-4', { by: -9 }));
    await assert.rejects(breaking, (error) => error instanceof DomainError && error.code === 'payment_required');
    assert.equal((await stored(at)).length, 2);
  });

  it('executes a repeated command once, even when others came between', async () => {
    const { store, subject, stored } = get();
    const at = subject('repeated');
    await execute(store, counter, addition(at, 'r-1', { by: 1 }));
    assert.equal((await execute(store, counter, addition(at, 'r-1', { by: 1 })))?.state.sum, 1);
    await execute(store, counter, addition(at, 'r-2', { by: 10 }));
    const last = await execute(store, counter, addition(at, 'r-1', { by: 1 }));
    assert.equal(last?.state.sum, 11, 'the state that is stored, not one that was decided a second time');
    assert.equal((await stored(at)).length, 2);
  });

  it('returns the stored state when an earlier attempt stored the event, not the state decided by this attempt', async () => {
    const { store, subject, stored } = get();
    const at = subject('duplicate');
    await execute(store, counter, addition(at, 'dup-0', { by: 10 }));
    await execute(store, counter, addition(at, 'dup-1', { by: 1 }));
    // Decides on a state without events, like an attempt that did not see the earlier one.
    const late = await execute(store, counter, { ...addition(at, 'dup-1', { by: 1 }), cachedState: null });
    assert.deepEqual([late?.state.sum, late?.changed], [11, true]);
    assert.equal((await stored(at)).length, 2);
  });

  it('decides on the cached state without a load, and on the stored state when that has changed', async () => {
    const { store, subject, stored } = get();
    const at = subject('known');
    let loads = 0;
    const counting: EventStore = { ...store, load: (...args) => ((loads += 1), store.load(...args)) };
    const first = await execute(counting, counter, { ...addition(at, 'k-1', { by: 1 }), cachedState: null });
    const second = await execute(counting, counter, {
      ...addition(at, 'k-2', { by: 2 }),
      ...(first && { cachedState: first }),
    });
    assert.deepEqual([second?.state.sum, loads], [3, 0]);
    for (const [cachedState, sum] of [
      [null, 7],
      [first, 11],
    ] as const) {
      const late = await execute(counting, counter, {
        ...addition(at, `k-${sum}`, { by: 4 }),
        cachedState: cachedState ?? null,
      });
      assert.equal(late?.state.sum, sum);
    }
    assert.equal(loads, 2);
    assert.equal((await stored(at)).length, 4);
  });

  it('ends in exactly the sum of 20 concurrent commands, and every state folds from its events', async () => {
    const { store, subject, stored } = get();
    const at = subject('sum');
    const commands = Array.from({ length: 20 }, (_, n) => addition(at, `sum-${n}`, { by: n + 1 }, 30_000));
    await Promise.all(commands.map((command) => execute(store, counter, command)));
    assert.equal((await store.load(at, counterState))?.state.sum, 210);
    let folded: { sum: number; tags: string[] } | undefined;
    const texts = await stored(at);
    for (const text of texts) {
      const event = JSON.parse(text) as ReturnType<typeof counterEvent>;
      folded = counter.evolve(folded, { type: 'Added', data: event.data as { by: number } });
      assert.deepEqual(event.state, folded);
    }
    assert.equal(texts.length, 20);
  });

  it('gives up in time with conflict, or with unavailable when the outcome is unknown', async () => {
    const { store, subject } = get();
    const failing = (error: Error): EventStore => ({
      ...store,
      append: async () => {
        throw error;
      },
    });
    const run = (error: Error) => execute(failing(error), counter, addition(subject('late'), 'late-1', { by: 1 }, 120));
    const startedAt = performance.now();
    await assert.rejects(
      run(new ConflictError('x')),
      (error) => error instanceof DomainError && error.code === 'conflict',
    );
    await assert.rejects(
      run(new UnknownOutcomeError('x')),
      (error) => error instanceof DomainError && error.code === 'unavailable',
    );
    assert.ok(performance.now() - startedAt < 1_000);
    await assert.rejects(run(new TypeError('bug')), TypeError);
  });

  it('finds a stored change whose answer was lost', async () => {
    const { store, subject, stored } = get();
    const at = subject('lost');
    let lostReplies = 0;
    const losingReplies: EventStore = {
      ...store,
      append: async (...args) => {
        const result = await store.append(...args);
        if (lostReplies++ === 0) throw new UnknownOutcomeError('the answer was lost');
        return result;
      },
    };
    assert.equal((await execute(losingReplies, counter, addition(at, 'lost-1', { by: 3 })))?.state.sum, 3);
    assert.equal((await stored(at)).length, 1);
  });
};
