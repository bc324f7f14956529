import { connectionError, deadlineError, timeoutError } from './connection-errors.js';
import { AlmanacError } from '../errors.js';
import type { Wait } from './settings.js';

/** The limits of one call. */
export interface Limits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly onWait: (wait: Wait) => void;
  /** On the clock of `performance.now()`. */
  readonly endsMs: number;
}

/** One try of a call. It ends by the caller's signal, the deadline of the call, or its own timeout. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Bytes have arrived: the timeout starts again. */
  progressed(): void;
  /** The error to throw instead of that of `fetch`, which does not say why it was aborted. */
  errorOf(error: unknown): unknown;
  /** Stops the timers, and frees the connection if the answer was not read to its end. */
  end(): void;
}

export const beginAttempt = (url: string, limits: Limits): Attempt => {
  // AbortSignal.any and AbortSignal.timeout with reasons are newer than Node 18.
  const controller = new AbortController();
  const { signal: callerSignal, timeoutMs, deadlineMs, endsMs } = limits;
  const abortByCaller = (): void => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted === true) abortByCaller();
  else callerSignal?.addEventListener('abort', abortByCaller, { once: true });
  const expire = (): void => controller.abort(timeoutError(url, timeoutMs));
  let timer = setTimeout(expire, timeoutMs);
  const leftMs = Math.max(0, endsMs - performance.now());
  const deadline =
    leftMs === Infinity
      ? undefined
      : setTimeout(() => controller.abort(deadlineError(deadlineMs, undefined)), Math.min(leftMs, 2 ** 31 - 1));
  return {
    signal: controller.signal,
    progressed: () => {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    },
    errorOf: (error) => {
      if (controller.signal.aborted) return controller.signal.reason as unknown;
      return error instanceof AlmanacError ? error : connectionError(error, url);
    },
    end: () => {
      clearTimeout(timer);
      clearTimeout(deadline);
      callerSignal?.removeEventListener('abort', abortByCaller);
      controller.abort();
    },
  };
};

/** Rejects with the reason of the signal as soon as it is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
