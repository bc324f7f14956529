import type { RpcClient } from '@almanac/bus';
import { DomainError, keysRpc } from '@almanac/contracts';
import { accountOfKey, singleFlight } from '@almanac/runtime';
import type { Request } from 'express';
import type { Fill } from '../cache/cache-fills.js';
import type { HttpError } from '../http/error-response.js';
import type { Caller } from '../http/exchange.js';
import type { Session } from './session.js';
import type { FailedKeys } from './failed-keys.js';
import type { Credential, KeyCache } from './key-cache.js';
import { limitConcurrency } from './limit-concurrency.js';

export interface KeyLookupsOptions {
  readonly rpc: RpcClient;
  readonly cache: KeyCache;
  readonly failedKeys: FailedKeys;
  /** Whether all changes of keys have arrived. */
  readonly trusted: () => boolean;
}

interface Lookup {
  readonly fill: Fill;
  /** When the service was called. Undefined while the call waits. */
  calledMs: number | undefined;
  readonly result: Promise<Caller>;
}

export type KeyLookups = ReturnType<typeof createKeyLookups>;

/** One waits as long as a check may take. */
const limit = { running: 32, waiting: 10_000, waitMs: 5_000 };
/** A request joins no call that began earlier than this: its answer may lack a revocation that was answered since. */
const joinMs = { trusted: 1_000, otherwise: 250 } as const;

/**
 * Checks keys at the keys service. Equal checks share one call, and a gateway makes a limited number of calls at once.
 * So a restart or a missed heartbeat does not send each request to the service.
 */
export const createKeyLookups = ({ rpc, cache, failedKeys, trusted }: KeyLookupsOptions) => {
  const shared = singleFlight<Lookup>();
  const limited = limitConcurrency(limit);

  const begin = (credential: Credential, requestId: string, client: Pick<Request, 'ip'> | undefined): Lookup => {
    const account = accountOfKey(credential.keyId);
    const fill = cache.fill(account);
    const check = async (): Promise<CheckedCaller> => {
      let refusal: HttpError | undefined;
      try {
        return await limited(() => {
          // Others of the same address may have failed while this one waited.
          if (client !== undefined) refusal = failedKeys.lookUp(client.ip);
          lookup.calledMs = performance.now();
          return checkAtService(rpc, credential, requestId);
        });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (client !== undefined) failedKeys.count(client.ip);
        if (fill.fresh) cache.reject(account, nameOf(credential), credential);
        throw refusal ?? error;
      }
    };
    const finish = async (): Promise<Caller> => {
      try {
        const { caller, isProvisional } = await check();
        const { hash, session } = credential;
        const checkedMs = lookup.calledMs ?? performance.now();
        if (fill.fresh) cache.set(caller, { hash, sessionId: session?.id, checkedMs, isProvisional });
        return caller;
      } finally {
        fill.end();
      }
    };
    const { promise: result, resolve } = Promise.withResolvers<Caller>();
    const lookup: Lookup = { fill, calledMs: undefined, result };
    resolve(finish());
    return lookup;
  };

  const isJoinable = ({ fill, calledMs }: Lookup): boolean =>
    fill.fresh &&
    (calledMs === undefined || performance.now() - calledMs < (trusted() ? joinMs.trusted : joinMs.otherwise));

  return {
    /** The holder of a credential. `client` is the sender of a key with a secret. */
    find: async (credential: Credential, requestId: string, client?: Pick<Request, 'ip'>): Promise<Caller> => {
      const name = nameOf(credential);
      if (cache.isRejected(accountOfKey(credential.keyId), name)) throw notValid();
      if (client !== undefined) failedKeys.check(client.ip);
      return shared.join(name, () => begin(credential, requestId, client), undefined, isJoinable).call.result;
    },
    endSession: async ({ keyId, id, expiresS }: Session, requestId: string): Promise<void> => {
      const input = { key_id: keyId, session: { id, expires_s: expiresS } };
      const context = { requestId, account: accountOfKey(keyId) };
      await limited(() => rpc.call(keysRpc.endSession, { input, context }));
    },
  };
};

const nameOf = ({ keyId, hash, session }: Credential): string =>
  `${keyId} ${hash?.toString('base64') ?? ''} ${session?.id ?? ''}`;

interface CheckedCaller {
  readonly caller: Caller;
  readonly isProvisional: boolean;
}

const checkAtService = async (rpc: RpcClient, credential: Credential, requestId: string): Promise<CheckedCaller> => {
  const { keyId, hash, session } = credential;
  const context = { requestId };
  const checked = session === undefined ? {} : { session: { id: session.id, expires_s: session.expiresS } };
  const key = { key_id: keyId, knows_as_of: true, knows_provisional: true };
  const {
    account,
    key_id,
    plan,
    as_of,
    provisional = false,
  } = hash === undefined
    ? await rpc.call(keysRpc.checkKey, { input: { ...key, ...checked }, context })
    : await rpc.call(keysRpc.authenticate, { input: { ...key, secret_hash: hash.toString('hex') }, context });
  return { caller: { account, keyId: key_id, plan, asOf: as_of }, isProvisional: provisional };
};

const isRefusal = (error: unknown): boolean => error instanceof DomainError && error.code === 'unauthenticated';

export const notValid = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'The API key is not valid. Check that the key is complete and that it is not revoked.',
  );
