import { AlmanacError, ApiError, ConnectionError } from '@almanac/client';
import { QueryCache, MutationCache, QueryClient } from '@tanstack/react-query';
import { setSession } from './session.js';

const retriesMax = 2;
const staleMs = 30_000;
const unusedMs = 60_000;

/** A revoked key or an expired session: every screen becomes the sign-in. */
const signOutOn401 = (error: Error): void => {
  if (error instanceof ApiError && error.status === 401) setSession(null);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signOutOn401 }),
  mutationCache: new MutationCache({ onError: signOutOn401 }),
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      // Charts are large: the answers of markets that were left are dropped soon.
      gcTime: unusedMs,
      refetchOnWindowFocus: false,
      // The browser can be online while the gateway is not, and offline while a local gateway answers.
      networkMode: 'always',
      retry: (failures, error) => failures < retriesMax && error instanceof ConnectionError,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** The error as the client reports it. Anything else is a fault of the console. */
export const almanacErrorOf = (error: unknown): AlmanacError =>
  error instanceof AlmanacError
    ? error
    : new AlmanacError({
        code: 'console_fault',
        detail: error instanceof Error ? error.message : String(error),
        remedy: 'Load the page again. If it happens again, report the text above.',
      });
