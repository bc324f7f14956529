import { useSyncExternalStore } from 'react';

export interface RequestsLeft {
  readonly limit: number;
  readonly remaining: number;
}

let newest: RequestsLeft | undefined;
const listeners = new Set<() => void>();

/** `fetch` that notes how many requests of the current minute the answer leaves. */
export const countingFetch: typeof fetch = async (input, init) => {
  const response = await globalThis.fetch(input, init);
  const [limit, remaining] = ['RateLimit-Limit', 'RateLimit-Remaining'].map((name) => response.headers.get(name));
  if (typeof limit === 'string' && typeof remaining === 'string') {
    newest = { limit: Number(limit), remaining: Number(remaining) };
    for (const listener of listeners) listener();
  }
  return response;
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Undefined before the first answer, and for a plan without a limit. */
export const useRequestsLeft = (): RequestsLeft | undefined => useSyncExternalStore(subscribe, () => newest);
