import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs an assertion every 20 ms until it holds, and returns its value. After the timeout it rejects with the last
 * failure as the cause. The timeout is not a promise of the product; it only ends a hanging test. Default 30,000 ms.
 */
export const eventually = async <T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  let last: unknown = new Error('the first try did not end');
  for (;;) {
    try {
      return await withDeadline(assertion, Math.max(1, deadline - performance.now()));
    } catch (error) {
      if (!(error instanceof AttemptTimeout)) last = error;
    }
    if (performance.now() >= deadline) break;
    await pause(20);
  }
  const message = last instanceof Error ? last.message : String(last);
  throw new Error(`Not so after ${timeoutMs} ms: ${message}`, { cause: last });
};

class AttemptTimeout extends Error {}

const withDeadline = async <T>(assertion: () => T | Promise<T>, timeoutMs: number): Promise<T> => {
  const attemptEnded = new AbortController();
  const timeout = async (): Promise<never> => {
    await pause(timeoutMs, undefined, { signal: attemptEnded.signal });
    throw new AttemptTimeout();
  };
  try {
    return await Promise.race([Promise.resolve().then(assertion), timeout()]);
  } finally {
    attemptEnded.abort();
  }
};
