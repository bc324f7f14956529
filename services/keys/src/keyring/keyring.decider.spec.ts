import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredKey } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
import {
  createdPerDayMax,
  endedSessionsMax,
  isSessionEnded,
  keyringDecider,
  type KeyringEvent,
  revokedListedMax,
} from './keyring.decider.js';

const decider = keyringDecider('acc');
const { given } = specificationOf(decider);
const key = (id: string, name = 'default'): StoredKey => ({
  id,
  name,
  last4: 'wxyz',
  hash: 'h',
  created_us: 1,
  revoked_us: null,
});
const created = (id: string): KeyringEvent => ({ type: 'KeyCreated', data: key(id) });
const revoked = (id: string): KeyringEvent => ({ type: 'KeyRevoked', data: { id, revoked_us: 2 } });

describe('a keyring', () => {
  it('refuses a key above the limit of the plan; revoked ones do not count', () => {
    given([created('a'), created('b')])
      .when({ type: 'create', key: key('c'), limit: 2 })
      .thenThrows('key_limit_reached');
    given([created('a'), created('b'), revoked('a')])
      .when({ type: 'create', key: key('c'), limit: 2 })
      .then(created('c'));
    given([created('a'), created('b')])
      .when({ type: 'create', key: key('c'), limit: null })
      .then(created('c'));
  });
  it('creates a key once, and refuses the same id with another name', () => {
    given([created('a')])
      .when({ type: 'create', key: key('a'), limit: 1 })
      .then(null);
    given([created('a')])
      .when({ type: 'create', key: key('a', 'other'), limit: 9 })
      .thenThrows('idempotency_conflict');
  });
  it('revokes an existing key once, and does not find another', () => {
    given([created('a')])
      .when({ type: 'revoke', id: 'a', us: 2 })
      .then(revoked('a'));
    given([created('a'), revoked('a')])
      .when({ type: 'revoke', id: 'a', us: 9 })
      .then(null);
    given([created('a')])
      .when({ type: 'revoke', id: 'b', us: 2 })
      .thenThrows('key_not_found');
    given([]).when({ type: 'revoke', id: 'b', us: 2 }).thenThrows('key_not_found');
  });
  it('stores every active key, and only the latest revoked ones', () => {
    const facts = Array.from({ length: revokedListedMax + 20 }, (_, n) => [created(`k${n}`), revoked(`k${n}`)]).flat();
    const state = [created('kept'), ...facts].reduce<ReturnType<typeof decider.evolve> | undefined>(
      (before, fact) => decider.evolve(before, fact),
      undefined,
    );
    assert.equal(state?.keys.length, revokedListedMax + 1);
    assert.equal(state.keys[0]?.id, 'kept');
    const last = decider.evolve(state, revoked('kept'));
    assert.equal(last.keys[0]?.id, 'kept', 'a key that was just revoked stays, although it is the oldest');
    assert.equal(last.revoked_n, revokedListedMax + 21);
  });
  it('limits the keys created on a UTC day, if the plan limits keys', () => {
    const facts = Array.from({ length: createdPerDayMax }, (_, n) => [created(`k${n}`), revoked(`k${n}`)]).flat();
    given(facts)
      .when({ type: 'create', key: key('next'), limit: 2 })
      .thenThrows('key_daily_limit');
    given(facts)
      .when({ type: 'create', key: key('next'), limit: null })
      .then(created('next'));
    const nextDay = { ...key('next'), created_us: 86_400e6 };
    given(facts).when({ type: 'create', key: nextDay, limit: 2 }).then({ type: 'KeyCreated', data: nextDay });
    given([...facts, created('active')])
      .when({ type: 'create', key: key('next'), limit: 1 })
      .thenThrows('key_limit_reached');
  });
  it('stores less than 10 MB for all events of a day, after earlier days', () => {
    let state: ReturnType<typeof decider.evolve> | undefined;
    let bytes = 0;
    for (let n = 0; n < 2 * createdPerDayMax; n += 1) {
      const data = {
        ...key(`${n}`.padEnd(24, 'x'), 'n'.repeat(80)),
        hash: 'h'.repeat(64),
        created_us: 1_772_064_000e6,
      };
      for (const fact of [{ type: 'KeyCreated', data }, revoked(data.id)] as const) {
        state = decider.evolve(state, fact);
        if (n >= createdPerDayMax) bytes += Buffer.byteLength(JSON.stringify({ fact, state }));
      }
    }
    assert.ok(bytes > 1e6 && bytes < 10e6, `${bytes}`);
  });

  const session = (id: string, expires_s: number) => ({ id, expires_s });
  const ended = (id: string, expires_s: number, ended_us = 2): KeyringEvent => ({
    type: 'SessionEnded',
    data: { id, expires_s, key_id: 'a', ended_us },
  });
  const end = (id: string, expires_s: number, us = 2) =>
    ({ type: 'end-session', keyId: 'a', session: session(id, expires_s), us }) as const;

  it('ends a session of an active key once', () => {
    given([created('a')])
      .when(end('s', 9))
      .then(ended('s', 9));
    given([created('a'), ended('s', 9)])
      .when(end('s', 9))
      .then(null);
    given([created('a'), ended('s', 9)])
      .when(end('t', 9))
      .then(ended('t', 9));
    given([created('a'), revoked('a')])
      .when(end('s', 9))
      .then(null);
    given([created('b')])
      .when(end('s', 9))
      .then(null);
    given([]).when(end('s', 9)).then(null);
    given([created('a')])
      .when(end('s', 9, 9e6))
      .then(null);
  });

  it('lists ended sessions until they expire, and never lets an ended one open again', () => {
    let state = decider.evolve(undefined, created('a'));
    state = decider.evolve(state, ended('old', 5));
    state = decider.evolve(state, ended('new', 50, 6e6));
    assert.deepEqual(state.ended_sessions, [session('new', 50)]);
    const all = Array.from({ length: 3 * endedSessionsMax }, (_, n) => session(`s${n}`, 1_000 + Math.floor(n / 2)));
    for (const { id, expires_s } of all) {
      state = decider.evolve(state, ended(id, expires_s));
      assert.ok(state.ended_sessions.length <= endedSessionsMax);
    }
    assert.ok(all.every((one) => isSessionEnded(state, one)));
    assert.ok(!isSessionEnded(state, session('other', 1_000 + all.length)));
  });
});
