import { createHmac, timingSafeEqual } from 'node:crypto';

/** A sign that somebody held a valid key, for a browser: `<key id>.<Unix seconds when it ends>.<HMAC of both>`. */
export interface Session {
  readonly keyId: string;
  readonly expiresS: number;
  /** The cookie's value. */
  readonly value: string;
}

export interface Sessions {
  open(keyId: string): Session;
  /** The session of a Cookie header that this system signed and that has not ended; whether its key still opens is not told. */
  read(cookies: string | undefined): Session | undefined;
  /** What a page must send along with a write, and what only a page of this origin can know. */
  csrfToken(session: Session): string;
  isCsrfToken(session: Session, token: string | undefined): boolean;
}

/** The cookie that holds a session. */
export const cookieName = 'almanac_session';
const form = /^([0-9a-z]{1,64})\.(\d{1,12})\.([\w-]{43})$/;

/** Sessions are not stored: they end by their time, with their key, or when the secret changes. */
export const createSessions = ({ secret, ttlS }: { secret: string; ttlS: number }): Sessions => {
  // Each use of the secret has a name of its own, so that one signature is never taken for another.
  const sign = (use: string, text: string): string =>
    createHmac('sha256', secret).update(`${use}\n${text}`).digest('base64url');
  const verified = (value: string): Session | undefined => {
    const [, keyId = '', expires = '', signature = ''] = form.exec(value) ?? [];
    if (!equal(signature, sign('session', `${keyId}.${expires}`))) return undefined;
    const expiresS = Number(expires);
    return expiresS > Date.now() / 1_000 ? { keyId, expiresS, value } : undefined;
  };
  const csrfToken = ({ value }: Session): string => sign('csrf', value);
  return {
    open: (keyId) => {
      const expiresS = Math.floor(Date.now() / 1_000) + ttlS;
      return { keyId, expiresS, value: `${keyId}.${expiresS}.${sign('session', `${keyId}.${expiresS}`)}` };
    },
    read: (cookies) => {
      for (const value of valuesIn(cookies ?? '')) {
        const session = verified(value);
        if (session !== undefined) return session;
      }
      return undefined;
    },
    csrfToken,
    isCsrfToken: (session, token) => token !== undefined && equal(token, csrfToken(session)),
  };
};

/** A browser may send several of one name, of different paths. */
const valuesIn = (cookies: string): string[] =>
  cookies.split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=', 2);
    return name === cookieName && value !== undefined ? [value] : [];
  });

/** In constant time, so that a wrong text tells nothing of the right one. */
const equal = (given: string, right: string): boolean => {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
};

/** A Set-Cookie header; without a session it takes the cookie away. */
export const setCookie = (session: Session | undefined, { secure }: { secure: boolean }): string => {
  const ageS = session === undefined ? 0 : Math.max(0, Math.floor(session.expiresS - Date.now() / 1_000));
  const attributes = [`${cookieName}=${session?.value ?? ''}`, `Max-Age=${ageS}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  return [...attributes, ...(secure ? ['Secure'] : [])].join('; ');
};
