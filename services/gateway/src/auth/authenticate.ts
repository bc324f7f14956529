import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { DomainError } from '@almanac/contracts';
import { accountOfKey } from '@almanac/runtime';
import type { Request } from 'express';
import type { Caller } from '../http/exchange.js';
import type { Session } from './session.js';
import type { KeyCache } from './key-cache.js';
import { type KeyLookups, notValid } from './key-lookups.js';
import { orKnownAgain } from './or-known-again.js';
import { bearer, type PresentedKey, presentedKeys } from './presented-keys.js';

export type Authentication = ReturnType<typeof createAuthentication>;

export interface AuthenticationOptions {
  readonly cache: KeyCache;
  readonly lookups: KeyLookups;
  /** Called for each request with a valid key. */
  readonly onUse: (keyId: string) => void;
}

type Client = Pick<Request, 'ip' | 'socket'>;

/** Authenticates callers, from the cache or at the keys service. */
export const createAuthentication = ({ cache, lookups, onUse }: AuthenticationOptions) => {
  const presentedKey = presentedKeys();
  const used = (caller: Caller): Caller => {
    onUse(caller.keyId);
    return caller;
  };
  const knownCaller = (key: PresentedKey): Caller | undefined => {
    const cachedKey = cache.get(key.keyId);
    return cachedKey?.hash !== undefined && timingSafeEqual(cachedKey.hash, key.hash) ? cachedKey.caller : undefined;
  };
  return {
    /** The caller of an Authorization header, if the key is known. Its use counts once `used` is called. */
    knownCaller: (authorization: string, connection: Socket): Caller | undefined => {
      const key = presentedKey(authorization, connection);
      return key === undefined ? undefined : knownCaller(key);
    },
    used,
    /** The caller of an Authorization header. Throws `unauthenticated`, or `unavailable` without a check. */
    caller: (authorization: string | undefined, requestId: string, client: Client): Caller | Promise<Caller> => {
      const key = presentedKey(authorization, client.socket);
      if (key === undefined) throw refused(authorization);
      const { keyId, hash } = key;
      const known = (): Caller | undefined => knownCaller(key);
      const caller = known();
      if (caller !== undefined) return used(caller);
      return orKnownAgain(lookups.find({ keyId, hash }, requestId, client), known).then(used);
    },
    /** The caller of a session's key. The session proves that its user had the key. Throws as `caller` does. */
    callerOfSession: (session: Session, requestId: string): Caller | Promise<Caller> => {
      const { keyId } = session;
      const known = (): Caller | undefined => cache.get(keyId, session.id)?.caller;
      const caller = known();
      if (caller !== undefined) return used(caller);
      return orKnownAgain(lookups.find({ keyId, session }, requestId), known).then(used);
    },
    /** Throws `unauthenticated` if the key is no longer valid. For a request that continues after its authentication. */
    confirm: async ({ keyId }: Caller, requestId: string): Promise<void> => {
      if (cache.get(keyId) === undefined) await lookups.find({ keyId }, requestId);
    },
    /** Ends a session on every gateway. */
    endSession: async (session: Session, requestId: string): Promise<void> => {
      await lookups.endSession(session, requestId);
      cache.invalidate(accountOfKey(session.keyId));
    },
  };
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
    : notValid();
