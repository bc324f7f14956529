import { hash, timingSafeEqual } from 'node:crypto';
import type { RpcClient } from '@almanac/bus';
import { DomainError, keysRpc } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import type { Fills } from '../cache/fills.js';
import { createLru } from '../cache/lru.js';
import type { Caller } from '../http/exchange.js';

export interface Authentication {
  /** Who holds the key of an Authorization header. Throws `unauthenticated`, or `unavailable` when nobody can tell. */
  caller(authorization: string | undefined, requestId: string): Caller | Promise<Caller>;
  /** Something of an account's keys or plan changed. */
  forget(account: string): void;
  forgetAll(): void;
}

export interface AuthenticationOptions {
  readonly rpc: RpcClient;
  readonly fills: Fills;
  /** Accounts whose keys are remembered. */
  readonly accountsMax: number;
  /** Whether verdicts in memory count now. */
  readonly trusted: () => boolean;
}

interface Verdict {
  readonly hash: Buffer;
  readonly caller: Caller;
}

const bearer = /^bearer +(\S+) *$/i;
const topicOf = (account: string): string => `keys:${account}`;

/**
 * Tells who asks. A key that was found good is remembered by its id, with the hash of its secret, until something of
 * its account changes; a refusal is not remembered, so a key works as soon as it is created.
 */
export const createAuthentication = ({ rpc, fills, accountsMax, trusted }: AuthenticationOptions): Authentication => {
  // By account, then by key id: what is dropped together stands together.
  const verdicts = createLru<Map<string, Verdict>>(accountsMax);

  const ask = async (keyId: string, secretHash: Buffer, requestId: string): Promise<Caller> => {
    const account = accountOfKey(keyId);
    const fill = fills.begin([topicOf(account)]);
    try {
      const input = { key_id: keyId, secret_hash: secretHash.toString('hex') };
      const found = await rpc.call(keysRpc.authenticate, { input, context: { requestId } });
      const caller = { account: found.account, keyId: found.key_id, plan: found.plan };
      if (fill.fresh) {
        const known = verdicts.get(account) ?? new Map<string, Verdict>();
        verdicts.set(account, known.set(keyId, { hash: secretHash, caller }));
      }
      return caller;
    } finally {
      fill.end();
    }
  };

  return {
    caller: (authorization, requestId) => {
      const key = parseApiKey(bearer.exec(authorization ?? '')?.[1] ?? '');
      if (key === undefined) throw refused(authorization);
      const secretHash = hash('sha256', key.secret, 'buffer');
      if (trusted()) {
        const verdict = verdicts.get(accountOfKey(key.keyId))?.get(key.keyId);
        if (verdict !== undefined && timingSafeEqual(verdict.hash, secretHash)) return verdict.caller;
      }
      return ask(key.keyId, secretHash, requestId);
    },
    forget: (account) => {
      fills.spoil(topicOf(account));
      verdicts.delete(account);
    },
    forgetAll: () => verdicts.clear(),
  };
};

const refused = (authorization: string | undefined): DomainError =>
  authorization === undefined
    ? new DomainError('unauthenticated', 'Send an API key: `Authorization: Bearer <API_KEY>`.')
    : new DomainError('unauthenticated', 'This API key is not valid.');
