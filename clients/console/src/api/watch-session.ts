import { useEffect } from 'react';
import { setSession } from './session.js';

const everyMs = 20_000;

/** Notices the end of the session on a page where nobody clicks: its key was revoked, or its time is over. */
export const useWatchedSession = (): void => {
  useEffect(() => {
    const check = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return;
      const response = await fetch('/auth/session', { headers: { Accept: 'application/json' } });
      if (response.status === 401) setSession(null);
    };
    // An outage is shown by the calls of the screen.
    const quietly = (): void => void check().catch(() => undefined);
    const timer = setInterval(quietly, everyMs);
    document.addEventListener('visibilitychange', quietly);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', quietly);
    };
  }, []);
};
