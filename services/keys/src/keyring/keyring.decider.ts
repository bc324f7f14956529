import {
  DomainError,
  type KeySession,
  type keyEvents,
  type KeyringState,
  keyringState,
  nextUtcDayUs,
  notFound,
  type StoredKey,
  utcDayOf,
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

/** Revoked keys that stay in the state. Earlier ones are in the history of the stream, so that an event stays small. */
export const revokedListedMax = 100;

/** New keys of an account per UTC day, if its plan limits keys. Each creation and revocation stores the whole keyring. */
export const createdPerDayMax = 100;

/** Active keys of an account whose plan has no limit, so that its state fits into an event. */
const activeMax = 1_000;

/** All keys of one account. They are one entity, so that two concurrent creations cannot both take the last place. */
export const keyringDecider = (account: string): Decider<KeyringState, KeyringCommand, KeyringEvent> => ({
  state: keyringState,
  decide: (command, state) => {
    if (command.type === 'create') return create(command, state);
    return command.type === 'revoke' ? revoke(command, state) : endSession(command, state);
  },
  evolve: (before, domainEvent) => {
    const state = before ?? { account, keys: [], ended_sessions: [], sessions_ended_until_s: 0 };
    if (domainEvent.type === 'KeyCreated') {
      const day = utcDayOf(domainEvent.data.created_us);
      const created = { ...state.created, day, count: createdOn(state, day) + 1 };
      return { ...state, keys: [...state.keys, domainEvent.data], created };
    }
    if (domainEvent.type === 'SessionEnded') return { ...state, ...withEndedSession(state, domainEvent.data) };
    const { id, revoked_us } = domainEvent.data;
    const revoked_n = (state.revoked_n ?? revokedKeys(state.keys).length) + 1;
    const changed = state.keys.map((key) => (key.id === id ? { ...key, revoked_us, revoked_n } : key));
    return { ...state, keys: trimmed(changed), revoked_n };
  },
});

const create = (
  { key, limit }: Extract<KeyringCommand, { type: 'create' }>,
  state: KeyringState | undefined,
): KeyringEvent | null => {
  const existing = state?.keys.find(({ id }) => id === key.id);
  if (existing !== undefined) {
    if (existing.name === key.name && (existing.as_of ?? null) === (key.as_of ?? null)) return null;
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to a request with a different body. Send a new key for a new request.',
    );
  }
  const active = state?.keys.filter(({ revoked_us }) => revoked_us === null).length ?? 0;
  const most = limit ?? activeMax;
  if (active >= most) {
    throw new DomainError(
      'key_limit_reached',
      `Your plan's limit for active API keys is ${most}. Revoke a key or upgrade your plan.`,
    );
  }
  if (limit !== null) refuseOverDailyLimit(state, key.created_us);
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

/** The revoked keys of a state, the last revoked one first. */
export const revokedKeys = (keys: readonly StoredKey[]): StoredKey[] =>
  keys.filter((key) => key.revoked_us !== null).toSorted((a, b) => (b.revoked_n ?? 0) - (a.revoked_n ?? 0));

/** Without the keys that were revoked first. A key that was just revoked stays, however old it is. */
const trimmed = (keys: StoredKey[]): StoredKey[] => {
  const dropped = new Set(revokedKeys(keys).slice(revokedListedMax));
  return dropped.size === 0 ? keys : keys.filter((key) => !dropped.has(key));
};

const createdOn = (state: KeyringState | undefined, day: string): number =>
  state?.created?.day === day ? state.created.count : 0;

const refuseOverDailyLimit = (state: KeyringState | undefined, us: number): void => {
  if (createdOn(state, utcDayOf(us)) < createdPerDayMax) return;
  throw new DomainError(
    'key_daily_limit',
    `An account can create ${createdPerDayMax} API keys per UTC day. Try again after 00:00 UTC.`,
    { more: { retry_after_s: Math.ceil((nextUtcDayUs(us) - us) / 1e6) } },
  );
};
