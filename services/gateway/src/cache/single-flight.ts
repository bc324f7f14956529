import type { RpcReply } from '@almanac/bus';
import { singleFlight } from '@almanac/runtime';
import type { Fill } from './cache-fills.js';

/** Starts the call when none is running. */
export interface Loader {
  readonly fill: () => Fill;
  /** Whether changes arrive. Without them it is unknown which calls are outdated. */
  readonly trusted: () => boolean;
  readonly load: (signal: AbortSignal) => Promise<RpcReply>;
}

export interface SharedReply {
  readonly reply: RpcReply;
  readonly fill: Fill;
  /** Whether this is the earliest caller that still waits. It ends the fill. */
  readonly isFirst: boolean;
  readonly isShared: boolean;
  /** Runs an operation on the reply once for all callers. */
  once<T>(make: () => Promise<T>): Promise<T>;
}

/**
 * One call for all concurrent requests with the same key. A caller that leaves does not affect the others; when all
 * have left, the call is cancelled. Later callers do not join a call after a change of its data.
 */
export interface SingleFlight {
  /** Rejects with the call's error, or the signal's reason. */
  join(key: string, loader: Loader, signal: AbortSignal): Promise<SharedReply>;
}

interface Call extends Pick<Loader, 'trusted'> {
  readonly startedMs: number;
  readonly fill: Fill;
  readonly result: Promise<RpcReply>;
  onceResult?: Promise<unknown>;
}

/**
 * While changes may be missing, a request joins no call that began earlier than this. Without any sharing, all requests of
 * a gateway would go to the service at once.
 */
const joinMs = 250;

export const createSingleFlight = (): SingleFlight => {
  const calls = singleFlight<Call>();
  const isJoinable = ({ fill, startedMs, trusted }: Call): boolean =>
    fill.fresh && (trusted() || performance.now() - startedMs < joinMs);
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
  return { startedMs: performance.now(), fill, trusted: loader.trusted, result: loader.load(abandoned) };
};

/** Resolves with the reply, or rejects when this caller leaves. */
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
    // All callers of one call pass the same function, so the result is a T.
    return call.onceResult as Promise<T>;
  };
