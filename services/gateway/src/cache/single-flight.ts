import type { RpcReply } from '@almanac/bus';
import { singleFlight } from '@almanac/runtime';
import type { Fill } from './cache-fills.js';

/** How a question is asked when nobody else is asking it. */
export interface Loader {
  readonly fill: () => Fill;
  readonly load: (signal: AbortSignal) => Promise<RpcReply>;
}

/** A reply as one of those sees it who waited for it. */
export interface SharedReply {
  readonly reply: RpcReply;
  readonly fill: Fill;
  /** Who waited longest of those who still wait; it ends the fill. */
  readonly isFirst: boolean;
  /** Whether others wait, too. */
  readonly isShared: boolean;
  /** Does something with the reply once, for all who wait. */
  once<T>(make: () => Promise<T>): Promise<T>;
}

/**
 * One call for all who ask the same at the same time. Who goes away spoils it for nobody; when all are gone, the call
 * is taken back. Nobody joins a call that was spoiled by a change since it was made.
 */
export interface SingleFlight {
  /** Throws what the call threw, or the signal's reason. */
  join(key: string, loader: Loader, signal: AbortSignal): Promise<SharedReply>;
}

interface Call {
  readonly fill: Fill;
  readonly result: Promise<RpcReply>;
  onceResult?: Promise<unknown>;
}

/** `mayJoin` tells whether changes arrive, without which nobody knows what is spoiled. */
export const createSingleFlight = (mayJoin: () => boolean): SingleFlight => {
  const calls = singleFlight<Call>();
  const isJoinable = ({ fill }: Call): boolean => fill.fresh && mayJoin();
  return {
    join: async (key, loader, waiter) => {
      waiter.throwIfAborted();
      const { call, callers } = calls.join(key, (abandoned) => startCall(loader, abandoned), waiter, isJoinable);
      const reply = await replyOrAbort(call, waiter);
      const [first] = callers;
      return { reply, fill: call.fill, isFirst: first === waiter, isShared: callers.size > 1, once: runOnce(call) };
    },
  };
};

const startCall = (loader: Loader, abandoned: AbortSignal): Call => {
  const fill = loader.fill();
  abandoned.addEventListener('abort', () => fill.end(), { once: true });
  return { fill, result: loader.load(abandoned) };
};

/** The reply, or the seat's reason as soon as it is given up. */
const replyOrAbort = async ({ fill, result }: Call, waiter: AbortSignal): Promise<RpcReply> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(waiter.reason);
  waiter.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([result, aborted]);
  } catch (error) {
    fill.end();
    throw error;
  } finally {
    waiter.removeEventListener('abort', onAbort);
  }
};

const runOnce =
  (call: Call) =>
  <T>(make: () => Promise<T>): Promise<T> => {
    call.onceResult ??= make();
    // Everybody at one landing passes the same maker, so what was made is a T.
    return call.onceResult as Promise<T>;
  };
