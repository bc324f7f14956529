import { randomUUID } from 'node:crypto';
import { type Redis, redisChannels, redisKeys } from '@almanac/redis';
import { leaseScriptOf, presenceScript, windowMs } from './lease-script.js';

/** A request for tokens of an account's window. */
export interface LeaseRequest {
  readonly account: string;
  /** Requests in any minute, over all gateways. */
  readonly limit: number;
  /** Tokens that all gateways together may hold without spending them at once. */
  readonly reserve: number;
  /** Requests that wait for a token. */
  readonly waiting: number;
  /** Tokens of the previous lease that were not spent. */
  readonly unspent: number;
  /** Tokens that this gateway spent in this window: all, and those that Redis has not counted. */
  readonly held: { readonly all: number; readonly unlisted: number };
  /** The list that this gateway knows. Empty before the first call. */
  readonly epoch: string;
}

export interface Lease {
  /** Granted requests. 0 if the window is full. */
  readonly tokens: number;
  /** Requests of the window that no gateway holds. */
  readonly free: number;
  readonly resetMs: number;
  /** If nothing was granted: how long another request is useless. */
  readonly pauseMs: number;
  /** Gateways that requested tokens of the account in the last 10 s. */
  readonly holders: number;
  readonly epoch: string;
}

/** Limits the calls for an account whose window is full and whose tokens leave it one by one. */
const pauseMsMin = 100;

const leaseScript = leaseScriptOf();

/** Leases shared by all gateways. Every call rejects if Redis does not answer. */
export const sharedLeases = (redis: Redis, gateway: string, script = leaseScript) => {
  let gateways: readonly string[] = [gateway];
  const ready = (): void => {
    if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  };
  return {
    lease: async ({ account, epoch, ...request }: LeaseRequest): Promise<Lease> => {
      ready();
      const { limit, reserve, waiting, unspent, held } = request;
      const amounts = [limit, reserve, waiting, unspent, held.all, held.unlisted];
      // The name of the list, if this call creates it. Two lists may begin within one millisecond.
      const newEpoch = randomUUID();
      const values = [gateway, epoch, ...amounts, redisChannels.leaseUsage, account, newEpoch];
      const reply = await script.run(redis, [redisKeys.leases(account)], values);
      const [tokens, free, resetMs = windowMs, holders, name = ''] = Array.isArray(reply) ? reply.map(String) : [];
      return {
        tokens: Number(tokens),
        free: Number(free),
        resetMs: Number(resetMs),
        pauseMs: Math.max(pauseMsMin, Number(resetMs)),
        holders: Number(holders),
        epoch: name,
      };
    },
    present: async (): Promise<void> => {
      ready();
      const names = await presenceScript.run(redis, [redisKeys.gateways], [gateway, redisChannels.leaseUsage]);
      gateways = Array.isArray(names) ? names.map(String).toSorted() : [gateway];
    },
    /** The number of gateways, including this one, at the last heartbeat. */
    gateways: (): number => Math.max(1, gateways.length),
    /** The place of this gateway among all, from 0. Every gateway has another one. */
    rank: (): number => Math.max(0, gateways.indexOf(gateway)),
    leave: async (): Promise<void> => {
      if (redis.status === 'ready') await redis.zrem(redisKeys.gateways, gateway);
    },
  };
};
export type SharedLeases = ReturnType<typeof sharedLeases>;
