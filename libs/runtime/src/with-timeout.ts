import { setTimeout as delay } from 'node:timers/promises';

/** Settles like `work`, or after `ms` with the result of `onTimeout`. A later result is dropped. */
export const withTimeout = async <T, Late>(ms: number, work: Promise<T>, onTimeout: () => Late): Promise<T | Late> => {
  const settled = new AbortController();
  try {
    return await Promise.race([work, delay(ms, undefined, { signal: settled.signal }).then(onTimeout)]);
  } finally {
    settled.abort();
  }
};
