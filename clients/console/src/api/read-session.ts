import { ConnectionError } from '@almanac/client';
import { type OpenSession, reportSessionFault, setSession } from './session.js';

const retryMs = 2_000;
/** A server that is silent for longer is reported. Its answer still counts. */
const silenceMs = 2_000;

/** Reads the session of the cookie, until the server answers. A page that is loaded again has lost the CSRF token. */
export const readSession = async (): Promise<void> => {
  const silence = setTimeout(() => report('No answer has arrived.'), silenceMs);
  try {
    const response = await fetch('/auth/session', { headers: { Accept: 'application/json' } });
    if (response.ok) setSession((await response.json()) as OpenSession);
    else if (response.status === 429) later('It had too many requests.');
    else if (response.status >= 500) later('It is starting, or a part of it is down.');
    else setSession(null);
  } catch (cause) {
    later('No answer has arrived.', cause);
  } finally {
    clearTimeout(silence);
  }
};

const report = (detail: string, cause?: unknown): void =>
  reportSessionFault(new ConnectionError({ code: 'connection_failed', detail, remedy: '', cause }));

const later = (detail: string, cause?: unknown): void => {
  report(detail, cause);
  setTimeout(() => void readSession(), retryMs);
};
