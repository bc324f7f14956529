import { DomainError, type KeyringState, keyringState, notFound, type StoredKey } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

export type KeyringCommand =
  /** `limit` is the plan's limit, null if it has none. Revoked keys do not count. */
  | { readonly type: 'create'; readonly key: StoredKey; readonly limit: number | null }
  | { readonly type: 'revoke'; readonly id: string; readonly us: number };

export type KeyringEvent =
  | { readonly type: 'KeyCreated'; readonly data: StoredKey }
  | { readonly type: 'KeyRevoked'; readonly data: { readonly id: string; readonly revoked_us: number } };

/** Revoked keys that stay listed. Older ones exist only in the stream, so that the state stays small. */
export const revokedListedMax = 100;

/** All keys of one account. They are one entity, so that two concurrent creations cannot both take the last place. */
export const keyringDecider = (account: string): Decider<KeyringState, KeyringCommand, KeyringEvent> => ({
  state: keyringState,
  decide: (command, state) => (command.type === 'create' ? create(command, state) : revoke(command, state)),
  evolve: (state, domainEvent) => {
    const keys = state?.keys ?? [];
    if (domainEvent.type === 'KeyCreated') return { account, keys: [...keys, domainEvent.data] };
    const { id, revoked_us } = domainEvent.data;
    return { account, keys: trimmed(keys.map((key) => (key.id === id ? { ...key, revoked_us } : key))) };
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

const trimmed = (keys: StoredKey[]): StoredKey[] => {
  const revoked = keys.filter((key) => key.revoked_us !== null);
  const dropped = new Set(revoked.slice(0, Math.max(0, revoked.length - revokedListedMax)).map((key) => key.id));
  return dropped.size === 0 ? keys : keys.filter((key) => !dropped.has(key.id));
};
