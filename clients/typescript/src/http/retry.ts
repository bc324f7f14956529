import { AlmanacError, ApiError, ConnectionError } from '../errors.js';
import { type Limits, sleep } from './attempt.js';
import { deadlineError } from './connection-errors.js';

const firstDelayMs = 250;
const delayMsMax = 10_000;
/** A shorter pause needs no explanation. */
const silentMsMax = 2_000;
const retriedStatuses = new Set([429, 502, 503, 504]);

export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError ? retriedStatuses.has(error.status) : error instanceof ConnectionError && error.isTransient;

/** The pause before the next try. The jitter spreads clients that failed at the same moment. */
export const delayOf = (error: unknown, failures: number, random: () => number = Math.random): number => {
  const backoffMs = Math.min(delayMsMax, firstDelayMs * 2 ** failures);
  const requestedMs = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1_000 : 0;
  return requestedMs + backoffMs * (0.5 + random() / 2);
};

/**
 * Repeats an attempt after transient errors. An answer that asks for a longer pause than the deadline allows is thrown
 * at once, with its `retryAfter`.
 */
export const withRetries = async <T>(attempt: () => Promise<T>, limits: Limits): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      await pauseAfter(error, failures, limits);
    }
  }
};

/** Waits until the next try is due, or throws the error if there is none. */
export const pauseAfter = async (error: unknown, failures: number, limits: Limits): Promise<void> => {
  if (!isTransient(error) || failures >= limits.maxRetries) throw error;
  const delayMs = delayOf(error, failures);
  if (performance.now() + delayMs >= limits.endsMs) {
    throw error instanceof ApiError ? error : deadlineError(limits.deadlineMs, error);
  }
  await announcedPause({ ms: delayMs, error, attempt: failures + 2 }, limits);
};

interface Pause {
  readonly ms: number;
  readonly error: unknown;
  readonly attempt: number;
}

/** Whoever waits for long learns for what. */
export const announcedPause = async ({ ms, error, attempt }: Pause, { onWait, signal }: Limits): Promise<void> => {
  if (ms > silentMsMax && error instanceof AlmanacError) onWait({ error, seconds: ms / 1_000, attempt });
  await sleep(ms, signal);
};
