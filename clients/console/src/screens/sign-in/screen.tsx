import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type OpenSession, setSession, wasEnded } from '../../api/session.js';
import { textIn } from '../../parts/form.js';

const deadlineMs = 8_000;
const retriesMax = 2;

/** The server was not reached, or is briefly unavailable. Signing in again is safe. */
class NotAnswered extends Error {}

/** Sends the key in exchange for a cookie that scripts cannot read. */
const signIn = async (key: string): Promise<OpenSession> => {
  const response = await fetch('/auth/session', {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(deadlineMs),
  }).catch((cause: unknown) => {
    throw new NotAnswered('The server does not answer. Check your connection, and try again.', { cause });
  });
  if (response.ok) return (await response.json()) as OpenSession;
  const refusal = refusalOf(response);
  throw response.status >= 500 ? new NotAnswered(refusal) : new Error(refusal);
};

const refusalOf = (response: Response): string => {
  if (response.status === 401)
    return 'The server does not accept this key. Copy it once more: it may be cut, or revoked.';
  if (response.status === 429)
    return `Too many attempts. Try again in ${response.headers.get('Retry-After') ?? 'some'} seconds.`;
  if (response.status >= 500) return 'A part of the server is not there at this moment. Try again.';
  return 'The server refuses the sign-in. Load the page again, and try once more.';
};

/** Shown instead of every screen while no session is open. The address stays, so that a link leads on after it. */
export const SignIn = (): ReactNode => {
  const [isShown, setShown] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: signIn,
    retry: (failures, cause) => failures < retriesMax && cause instanceof NotAnswered,
    onSuccess: (session) => setSession(session),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = textIn(event.currentTarget, 'api_key').replace(/^bearer\s+/i, '');
    // Other characters cannot be sent in a header.
    if (/^[\x21-\x7e]+$/.test(key)) mutate(key);
    else mutate('-');
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <div className="sign-in-brand">
          <img src="/console/favicon.svg" alt="" width="28" height="28" />
          <span>Almanac</span>
        </div>
        <h1>Sign in</h1>
        {wasEnded() ? (
          <p className="notice" role="status" data-state="signed-out">
            Your session has ended: its time is over, or its key was revoked. Sign in again to go on where you were.
          </p>
        ) : (
          <p className="hint">The archive of prediction markets: every price, book and gap, at any moment.</p>
        )}
        <label htmlFor="api_key">API key</label>
        <div className="key-field">
          <input
            id="api_key"
            name="api_key"
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="ak_live_…"
            required
            aria-invalid={error !== null}
            aria-describedby="sign-in-fault sign-in-about"
          />
          <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </button>
        </div>
        <p id="sign-in-fault" role="alert" className="fault-text">
          {error === null ? null : error.message}
        </p>
        <button type="submit" className="primary" disabled={isPending}>
          {isPending ? 'Signing in …' : 'Sign in'}
        </button>
        <p id="sign-in-about" className="hint">
          The key is exchanged for a session of this browser and is not stored. On your own machine,{' '}
          <code>npm start</code> prints a demo key. <a href="/docs">Reference of the API</a>
        </p>
      </form>
    </main>
  );
};
