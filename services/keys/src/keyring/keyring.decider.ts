import {
  DomainError,
  type KeySession,
  type keyEvents,
  type KeyringState,
  keyringState,
  notFound,
  type StoredKey,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import type { z } from 'zod';

export type KeyringCommand =
  /** `limit` is the plan's limit, null if it has none. Revoked keys do not count. */
  | { readonly type: 'create'; readonly key: StoredKey; readonly limit: number | null }
  | { readonly type: 'revoke'; readonly id: string; readonly us: number }
  | { readonly type: 'end-session'; readonly keyId: string; readonly session: KeySession; readonly us: number };

export type KeyringEvent =
  | { readonly type: 'KeyCreated'; readonly data: StoredKey }
  | { readonly type: 'KeyRevoked'; readonly data: { readonly id: string; readonly revoked_us: number } }
  | { readonly type: 'SessionEnded'; readonly data: z.output<(typeof keyEvents)['SessionEnded']>['data'] };

/** Revoked keys that stay listed. Older ones exist only in the stream, so that the state stays small. */
export const revokedListedMax = 100;

/** All keys of one account. They are one entity, so that two concurrent creations cannot both take the last place. */
export const keyringDecider = (account: string): Decider<KeyringState, KeyringCommand, KeyringEvent> => ({
  state: keyringState,
  decide: (command, state) => {
    if (command.type === 'create') return create(command, state);
    return command.type === 'revoke' ? revoke(command, state) : endSession(command, state);
  },
  evolve: (before, domainEvent) => {
    const state = before ?? { account, keys: [], ended_sessions: [], sessions_ended_until_s: 0 };
    if (domainEvent.type === 'KeyCreated') return { ...state, keys: [...state.keys, domainEvent.data] };
    if (domainEvent.type === 'SessionEnded') return { ...state, ...withEndedSession(state, domainEvent.data) };
    const { id, revoked_us } = domainEvent.data;
    return { ...state, keys: trimmed(state.keys.map((key) => (key.id === id ? { ...key, revoked_us } : key))) };
  },
});

const create = (
  { key, limit }: Extract<KeyringCommand, { type: 'create' }>,
  state: KeyringState | undefined,
): KeyringEvent | null => {
  const existing = state?.keys.find(({ id }) => id === key.id);
  if (existing !== undefined) {
    if (existing.name === key.name) return null;
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to a request with a different body. Send a new key for a new request.',
    );
  }
  const active = state?.keys.filter(({ revoked_us }) => revoked_us === null).length ?? 0;
  if (limit !== null && active >= limit) {
    throw new DomainError(
      'key_limit_reached',
      `Your plan's limit for active API keys is ${limit}. Revoke a key or upgrade your plan.`,
    );
  }
  return { type: 'KeyCreated', data: key };
};

const revoke = (
  { id, us }: Extract<KeyringCommand, { type: 'revoke' }>,
  state: KeyringState | undefined,
): KeyringEvent | null => {
  const existing = state?.keys.find((key) => key.id === id);
  if (existing === undefined) throw notFound('key_not_found', id);
  return existing.revoked_us === null ? { type: 'KeyRevoked', data: { id, revoked_us: us } } : null;
};

/** Nothing to do for a session that has ended already, by itself, by its time or with its key. */
const endSession = (
  { keyId, session, us }: Extract<KeyringCommand, { type: 'end-session' }>,
  state: KeyringState | undefined,
): KeyringEvent | null => {
  const isActive = state?.keys.some(({ id, revoked_us }) => id === keyId && revoked_us === null) ?? false;
  if (state === undefined || !isActive || session.expires_s * 1e6 <= us || isSessionEnded(state, session)) return null;
  return { type: 'SessionEnded', data: { ...session, key_id: keyId, ended_us: us } };
};

export const isSessionEnded = (state: KeyringState, { id, expires_s }: KeySession): boolean =>
  expires_s <= state.sessions_ended_until_s || state.ended_sessions.some((ended) => ended.id === id);

/** Ended sessions of one account that are listed. Above this, those that expire first end with all that expire before. */
export const endedSessionsMax = 100;

const withEndedSession = (
  { ended_sessions, sessions_ended_until_s }: KeyringState,
  { id, expires_s, ended_us }: { id: string; expires_s: number; ended_us: number },
): Pick<KeyringState, 'ended_sessions' | 'sessions_ended_until_s'> => {
  const listed = [...ended_sessions.filter((one) => one.expires_s * 1e6 > ended_us), { id, expires_s }];
  if (listed.length <= endedSessionsMax) return { ended_sessions: listed, sessions_ended_until_s };
  const until = Math.min(...listed.map((one) => one.expires_s));
  return { ended_sessions: listed.filter((one) => one.expires_s > until), sessions_ended_until_s: until };
};

const trimmed = (keys: StoredKey[]): StoredKey[] => {
  const revoked = keys.filter((key) => key.revoked_us !== null);
  const dropped = new Set(revoked.slice(0, Math.max(0, revoked.length - revokedListedMax)).map((key) => key.id));
  return dropped.size === 0 ? keys : keys.filter((key) => !dropped.has(key.id));
};
