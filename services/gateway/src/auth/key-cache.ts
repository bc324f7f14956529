import { timingSafeEqual } from 'node:crypto';
import { accountOfKey, entryCache } from '@almanac/runtime';
import type { Fills } from '../cache/cache-fills.js';
import type { Caller } from '../http/exchange.js';
import type { Session } from './session.js';

interface CachedKey {
  /** Undefined if the secret was not verified, as for a session. It allows no bearer request. */
  readonly hash: Buffer | undefined;
  readonly caller: Caller;
  /** While changes of keys may be missing, the entry is valid until this time on the monotonic clock. */
  readonly validUntilMs: number;
  /** A change that was received before the check may be missing in it, so nothing will drop the entry. It is valid until its time only. */
  readonly isProvisional: boolean;
}

export interface KeyCacheOptions {
  readonly fills: Fills;
  readonly accountsMax: number;
  /** Whether all changes of keys, sessions and plans have arrived. */
  readonly trusted: () => boolean;
}

export type KeyCache = ReturnType<typeof createKeyCache>;

/** Keys and sessions of one account. A higher number drops them all. */
const entriesMax = 100;
const rejectedAccountsMax = 10_000;
const rejectedPerAccountMax = 8;
const rejectedMs = 10_000;

/**
 * While changes may be missing, a key is checked again after 400 to 600 ms, so a revoked key is refused within a
 * second. The jitter spreads the checks of keys that were checked together.
 */
const recheckMs = (): number => 400 + 200 * Math.random();

const topicOf = (account: string): string => `keys:${account}`;

/**
 * Valid keys by id, with the hash of the secret, and rejected credentials. An entry is dropped when something of its
 * account changes. Keys are grouped by account, because a change drops an account.
 */
export const createKeyCache = ({ fills, accountsMax, trusted }: KeyCacheOptions) => {
  const valid = entryCache<string, Map<string, CachedKey>>(accountsMax);
  const rejected = entryCache<string, Map<string, number>>(rejectedAccountsMax);
  return {
    get: (keyId: string, sessionId?: string): CachedKey | undefined => {
      const entry = valid.get(accountOfKey(keyId))?.get(entryOf(keyId, sessionId));
      if (entry === undefined) return undefined;
      return (trusted() && !entry.isProvisional) || performance.now() < entry.validUntilMs ? entry : undefined;
    },
    /** `checkedMs`: when the service was called. The answer may be as old. */
    set: (caller: Caller, { hash, sessionId, checkedMs, isProvisional }: CheckedKey): void => {
      const entries = valid.get(caller.account) ?? new Map<string, CachedKey>();
      const name = entryOf(caller.keyId, sessionId);
      const known = entries.get(name);
      if (known === undefined && entries.size >= entriesMax) entries.clear();
      const checked = { hash: hash ?? known?.hash, validUntilMs: checkedMs + recheckMs() };
      // What a leader said stays until a change drops it.
      const isBetterKnown = isProvisional && known?.isProvisional === false;
      entries.set(name, isBetterKnown ? { ...known, ...checked } : { ...checked, caller, isProvisional });
      valid.set(caller.account, entries);
    },
    isRejected: (account: string, credential: string): boolean =>
      (rejected.get(account)?.get(credential) ?? 0) > performance.now() && trusted(),
    /** Remembers a refusal. The same credential may have been valid before. */
    reject: (account: string, credential: string, { keyId, hash, session }: Credential): void => {
      const entry = valid.get(account)?.get(entryOf(keyId, session?.id));
      const isSame = hash === undefined || (entry?.hash !== undefined && timingSafeEqual(entry.hash, hash));
      if (entry !== undefined && isSame) valid.get(account)?.delete(entryOf(keyId, session?.id));
      const entries = rejected.get(account) ?? new Map<string, number>();
      if (entries.size >= rejectedPerAccountMax) entries.clear();
      rejected.set(account, entries.set(credential, performance.now() + rejectedMs));
    },
    /** Begins a look-up. Its result must not be cached if the account changes meanwhile. */
    fill: (account: string) => fills.begin([topicOf(account)]),
    /** Drops the keys of an account after a change of its keys, sessions or plan. */
    invalidate: (account: string): void => {
      fills.invalidate(topicOf(account));
      valid.delete(account);
      rejected.delete(account);
    },
  };
};

/** A key with its secret or a session. Without both, only the key is checked. */
export interface Credential {
  readonly keyId: string;
  readonly hash?: Buffer;
  readonly session?: Session;
}

interface CheckedKey {
  readonly hash: Buffer | undefined;
  readonly sessionId: string | undefined;
  readonly checkedMs: number;
  readonly isProvisional: boolean;
}

const entryOf = (keyId: string, sessionId: string | undefined): string =>
  sessionId === undefined ? keyId : `${keyId}.${sessionId}`;
