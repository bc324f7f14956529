import { describe, it } from 'node:test';
import type { KeyringState, StoredKey } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import { keyringDecider } from './keyring.decider.js';

const key = (id: string, revoked_us: number | null): StoredKey => ({
  id,
  name: 'n',
  last4: 'abcd',
  hash: 'h',
  created_us: 1,
  revoked_us,
});
const state: KeyringState = {
  account: 'a',
  keys: [key('k', null), key('l', 5)],
  revoked_n: 1,
  created: { day: '1970-01-01', count: 1 },
  ended_sessions: [{ id: 's', expires_s: 9_000_000_000 }],
  sessions_ended_until_s: 0,
};

describe('a keyring of a newer release', () => {
  it('keeps its fields in every event', () => {
    const decider = keyringDecider('a');
    assertCarries(decider, { state, event: { type: 'KeyCreated', data: key('m', null) } });
    assertCarries(decider, { state, event: { type: 'KeyRevoked', data: { id: 'k', revoked_us: 2 } } });
    const data = { id: 't', expires_s: 9_000_000_001, key_id: 'k', ended_us: 3 };
    assertCarries(decider, { state, event: { type: 'SessionEnded', data } });
  });
});
