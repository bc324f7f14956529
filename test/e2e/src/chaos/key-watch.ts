import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { apiClient, post } from '../api.js';
import { type RetryContext, retryUntilFinal, oneOf } from './retry.js';
import type { Buyer } from './purchase-run.js';

const pauseMs = 100;
const keyLifetimeMs = 1_500;
/** The guarantee is one second. A busy machine gets more before the test fails. */
const defaults: KeyWatchOptions = { graceMs: 10_000, keysMax: 30 };

export interface KeyWatchOptions {
  /** How long after its revocation a key may be accepted. */
  readonly graceMs: number;
  /** No more keys are created. */
  readonly keysMax: number;
  /** Default 1. */
  readonly rotationsAtOnce?: number;
}

/** Accounts whose keys are created and revoked. The first client has the account's own key. */
type KeyHolder = Pick<Buyer, 'apis'>;
type Holders = RetryContext & { readonly buyers: readonly KeyHolder[] };

interface WatchedKey {
  readonly key: string;
  /** The time of the answer to its revocation, by `performance.now()`. `ending` from the request on. */
  revokedAt: number | 'ending' | null;
}

export interface KeyWatch {
  /** The answers of the gateways by status. 0 means no answer. */
  readonly live: Readonly<Record<number, number>>;
  readonly revoked: Readonly<Record<number, number>>;
  /** The longest time, in milliseconds, that a key was accepted after its revocation was answered. */
  readonly latestMs: () => number;
  /** How many keys were revoked. */
  readonly revocations: () => number;
  /** Stops the watch. Throws when a valid key was ever refused, or a revoked one accepted. */
  stop(): Promise<void>;
}

/** Creates keys and revokes them, and checks each of them at every gateway all the time. */
export const watchKeys = (
  holders: Holders,
  baseUrls: readonly string[],
  { graceMs, keysMax, rotationsAtOnce = 1 }: KeyWatchOptions = defaults,
): KeyWatch => {
  const keys: WatchedKey[] = holders.buyers.map(({ apis }) => ({ key: apis[0]?.key ?? '', revokedAt: null }));
  const [live, revoked]: Record<number, number>[] = [{}, {}];
  assert.ok(live !== undefined && revoked !== undefined);
  const wrong: string[] = [];
  let [latestMs, stopped] = [0, false];

  const look = async (watched: WatchedKey, url: string): Promise<void> => {
    const { revokedAt: before } = watched;
    const requestedAt = performance.now();
    const status = await statusOf(url, watched.key);
    if (status > 503 || (status >= 500 && status < 503)) wrong.push(`a key was answered ${status}`);
    if (before === null && watched.revokedAt === null) {
      live[status] = (live[status] ?? 0) + 1;
      if (status === 401) wrong.push('a live key was refused');
    } else if (typeof before === 'number') {
      revoked[status] = (revoked[status] ?? 0) + 1;
      if (status !== 200) return;
      latestMs = Math.max(latestMs, requestedAt - before);
      if (requestedAt - before > graceMs)
        wrong.push(`a key was let in ${Math.round(requestedAt - before)} ms after its revocation`);
    }
  };
  /** Each gateway on its own, so that one without an answer does not delay the looks at the others. */
  const looking = async (url: string): Promise<void> => {
    while (!stopped) {
      // The buyers' own keys, and the newest ones.
      const some = [oneOf(holders, keys), ...keys.slice(-8)];
      await Promise.all(some.map((watched) => look(watched, url)));
      await delay(pauseMs);
    }
  };
  const churning = async (): Promise<void> => {
    while (!stopped && keys.length < holders.buyers.length + keysMax) await rotateKeys(holders, keys);
  };
  const loops = Promise.all([...baseUrls.map(looking), ...Array.from({ length: rotationsAtOnce }, churning)]);
  // `stop` throws the failure.
  loops.catch(() => undefined);
  return {
    live,
    revoked,
    latestMs: () => Math.round(latestMs),
    revocations: () => keys.filter(({ revokedAt }) => typeof revokedAt === 'number').length,
    stop: async () => {
      stopped = true;
      await loops;
      assert.deepEqual(wrong, []);
      for (const url of baseUrls) {
        for (const { key, revokedAt } of keys) {
          await eventually(async () => assert.equal(await statusOf(url, key), revokedAt === null ? 200 : 401));
        }
      }
    },
  };
};

const statusOf = (url: string, key: string): Promise<number> =>
  apiClient(url, key)
    .send('/exports/formats')
    .then(
      ({ status }) => status,
      () => 0,
    );

const rotateKeys = async (holders: Holders, keys: WatchedKey[]): Promise<void> => {
  const buyer = oneOf(holders, holders.buyers);
  const { status, body } = await retryUntilFinal(holders, buyer, '/keys', post({ name: 'one of many' }, randomUUID()));
  assert.equal(status, 200, JSON.stringify(body));
  const { id, secret } = keysRpc.create.output.parse(body);
  // The answer with the secret was lost, so nobody can use this key.
  if (secret === null) return revoke(holders, buyer, id);
  const watched: WatchedKey = { key: secret, revokedAt: null };
  keys.push(watched);
  await delay(keyLifetimeMs * holders.random());
  watched.revokedAt = 'ending';
  await revoke(holders, buyer, id);
  watched.revokedAt = performance.now();
};

const revoke = async (holders: Holders, buyer: KeyHolder, id: string): Promise<void> => {
  const { status, body } = await retryUntilFinal(holders, buyer, `/keys/${id}`, { method: 'DELETE' });
  assert.equal(status, 200, JSON.stringify(body));
};
