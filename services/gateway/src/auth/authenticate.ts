import { hash, timingSafeEqual } from 'node:crypto';
import type { RpcClient } from '@almanac/bus';
import { DomainError, keysRpc } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import type { Fills } from '../cache/cache-fills.js';
import type { Caller } from '../http/exchange.js';

export type Authentication = ReturnType<typeof createAuthentication>;

export interface AuthenticationOptions {
  readonly rpc: RpcClient;
  readonly fills: Fills;
  readonly accountsMax: number;
  /** Whether cached keys are current. */
  readonly trusted: () => boolean;
  /** Called for each request with a valid key. */
  readonly onUse: (keyId: string) => void;
}

interface CachedKey {
  /** Undefined if only sessions used the key so far. They hold no secret. */
  readonly hash: Buffer | undefined;
  readonly caller: Caller;
}

const bearer = /^bearer +(\S+) *$/i;
const topicOf = (account: string): string => `keys:${account}`;

/**
 * Authenticates callers. A valid key is cached by id, with the hash of its secret, until something of its account
 * changes. A rejection is not cached, so a new key works at once.
 */
export const createAuthentication = (options: AuthenticationOptions) => {
  const { rpc, fills, accountsMax, trusted, onUse } = options;
  // By account, then by key id, because an invalidation drops an account.
  const cachedKeys = new LRUCache<string, Map<string, CachedKey>>({ max: accountsMax });
  /** A reusable buffer for the hash of the presented secret. */
  const presentedHash = Buffer.alloc(32);

  const authenticateAtService = async (
    keyId: string,
    secretHash: Buffer | undefined,
    requestId: string,
  ): Promise<Caller> => {
    const account = accountOfKey(keyId);
    const fill = fills.begin([topicOf(account)]);
    try {
      const found = await checkKeyAtService(rpc, { keyId, secretHash }, requestId);
      const caller = { account: found.account, keyId: found.key_id, plan: found.plan };
      if (fill.fresh) {
        const known = cachedKeys.get(account) ?? new Map<string, CachedKey>();
        cachedKeys.set(account, known.set(keyId, { hash: secretHash ?? known.get(keyId)?.hash, caller }));
      }
      onUse(keyId);
      return caller;
    } finally {
      fill.end();
    }
  };
  const known = (keyId: string): CachedKey | undefined =>
    trusted() ? cachedKeys.get(accountOfKey(keyId))?.get(keyId) : undefined;

  return {
    /** The caller of an Authorization header. Throws `unauthenticated`, or `unavailable` without a check. */
    caller: (authorization: string | undefined, requestId: string): Caller | Promise<Caller> => {
      const key = parseApiKey(bearer.exec(authorization ?? '')?.[1] ?? '');
      if (key === undefined) throw refused(authorization);
      // The hash is written from a string: bytes would take Node four times as long.
      presentedHash.write(hash('sha256', key.secret, 'binary'), 'binary');
      const cachedKey = known(key.keyId);
      if (cachedKey?.hash === undefined || !timingSafeEqual(cachedKey.hash, presentedHash)) {
        return authenticateAtService(key.keyId, Buffer.from(presentedHash), requestId);
      }
      onUse(key.keyId);
      return cachedKey.caller;
    },
    /** The caller of a session's key. The session proves that its user had the key. Throws as `caller` does. */
    callerOfKey: (keyId: string, requestId: string): Caller | Promise<Caller> => {
      const cachedKey = known(keyId);
      if (cachedKey === undefined) return authenticateAtService(keyId, undefined, requestId);
      onUse(keyId);
      return cachedKey.caller;
    },
    /** Drops the cached keys of an account after a change of its keys or plan. */
    invalidate: (account: string) => {
      fills.invalidate(topicOf(account));
      cachedKeys.delete(account);
    },
    invalidateAll: () => cachedKeys.clear(),
  };
};

const checkKeyAtService = (
  rpc: RpcClient,
  { keyId, secretHash }: { keyId: string; secretHash: Buffer | undefined },
  requestId: string,
) => {
  const context = { requestId };
  return secretHash === undefined
    ? rpc.call(keysRpc.checkKey, { input: { key_id: keyId }, context })
    : rpc.call(keysRpc.authenticate, { input: { key_id: keyId, secret_hash: secretHash.toString('hex') }, context });
};

const keyWithoutBearer = /^(?:bearer)?[:,]?\s*ak_\S+\s*$/i;

const refused = (authorization: string | undefined): DomainError => {
  const isKeyAlone = keyWithoutBearer.test(authorization ?? '') && !bearer.test(authorization ?? '');
  if (isKeyAlone) {
    return new DomainError(
      'unauthenticated',
      'The Authorization header has an API key without the word Bearer before it. Send `Authorization: Bearer <API_KEY>`.',
    );
  }
  return noValidKey(authorization);
};

const noValidKey = (authorization: string | undefined): DomainError =>
  authorization === undefined
    ? new DomainError(
        'unauthenticated',
        'The request has no API key. Send one in the header `Authorization: Bearer <API_KEY>`.',
      )
    : new DomainError(
        'unauthenticated',
        'The API key is not valid. Check that the key is complete and that it is not revoked.',
      );
