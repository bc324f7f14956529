import { ConnectionError } from '@almanac/client';
import { csrfToken, setSession } from './session.js';

/** Ends the session at every gateway. Rejects if the server cannot be reached: the cookie would still work. */
export const signOut = async (): Promise<void> => {
  const response = await fetch('/auth/session', {
    method: 'DELETE',
    headers: { 'X-CSRF-Token': csrfToken() ?? '' },
  }).catch((cause: unknown) => {
    throw new ConnectionError({
      code: 'connection_failed',
      detail: 'The server does not answer, so the session is still open.',
      remedy: 'Sign out again when the server answers.',
      cause,
    });
  });
  if (response.ok || response.status === 401) setSession(null, 'person');
  else throw new Error(`The server answered ${response.status}, so the session is still open.`);
};
