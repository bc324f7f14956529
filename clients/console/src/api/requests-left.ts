import { useSyncExternalStore } from 'react';
import { whileAnswered } from './server-answers.js';

export interface RequestsLeft {
  readonly limit: number;
  readonly remaining: number;
}

let newest: RequestsLeft | undefined;
let newestMs = 0;
const minuteMs = 60_000;
let pausedUntil: number | undefined;
const listeners = new Set<() => void>();

/** `fetch` that notes how many requests of the current minute the answer leaves, and when one that was refused may go on. */
export const countingFetch: typeof fetch = async (input, init) => {
  const response = await whileAnswered(globalThis.fetch(input, init));
  const [limit, remaining] = ['RateLimit-Limit', 'RateLimit-Remaining'].map((name) => response.headers.get(name));
  if (typeof limit === 'string' && typeof remaining === 'string') {
    newest = { limit: Number(limit), remaining: Number(remaining) };
    newestMs = Date.now();
    notify();
  }
  // The limits of exports are another 429, which leaves requests.
  if (response.status === 429 && remaining === '0') pauseFor(Number(response.headers.get('Retry-After')));
  return response;
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

const pauseFor = (seconds: number): void => {
  const until = Date.now() / 1_000 + seconds;
  pausedUntil = until;
  notify();
  setTimeout(() => {
    // Another answer may have named a later time.
    if (pausedUntil !== until) return;
    pausedUntil = undefined;
    notify();
  }, seconds * 1_000);
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Undefined before the first answer, and for a plan without a limit. */
export const useRequestsLeft = (): RequestsLeft | undefined => useSyncExternalStore(subscribe, () => newest);

/** The same outside of React. What the last answer left is of its minute: after it, all requests are. */
export const requestsPerMinute = (): RequestsLeft | undefined =>
  newest === undefined || Date.now() - newestMs < minuteMs ? newest : { ...newest, remaining: newest.limit };

/** The Unix second from which on requests are answered again. Undefined while they are. */
export const usePausedUntil = (): number | undefined => useSyncExternalStore(subscribe, () => pausedUntil);
