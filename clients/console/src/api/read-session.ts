import { type OpenSession, setSession } from './session.js';

const retryMs = 2_000;

/** Reads the session of the cookie. A page that is loaded again has lost the CSRF token. */
export const readSession = async (): Promise<void> => {
  try {
    const response = await fetch('/auth/session', { headers: { Accept: 'application/json' } });
    if (response.ok) setSession((await response.json()) as OpenSession);
    else if (response.status === 429 || response.status >= 500) later();
    else setSession(null);
  } catch {
    later();
  }
};

/** The gateway is starting or away. The layout reports that it does not answer. */
const later = (): void => void setTimeout(() => void readSession(), retryMs);
