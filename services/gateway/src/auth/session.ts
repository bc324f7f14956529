import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Proof for a browser that its user had a valid key: `<key id>.<Unix seconds of its end>.<id>.<HMAC of all three>`. */
export interface Session {
  readonly keyId: string;
  readonly expiresS: number;
  /** Random, so that a logout ends only this session. */
  readonly id: string;
  readonly value: string;
}

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionOptions {
  readonly SESSION_SECRET: string;
  readonly SESSION_TTL_S: number;
  readonly SESSION_HOSTS: readonly string[];
}

export const cookieName = 'almanac_session';
const form = /^([0-9a-z]{1,64})\.(\d{1,12})\.([\w-]{16})\.([\w-]{43})$/;

/**
 * Open sessions are not stored. They end with their time, with their key, or when the secret changes. A logout is
 * stored by the keys service.
 */
export const createSessions = (options: SessionOptions) => {
  const { SESSION_SECRET: secret, SESSION_TTL_S: ttlS, SESSION_HOSTS: hosts } = options;
  // Each use of the secret has its own name, so that one signature is never valid as another.
  const sign = (use: string, text: string): string =>
    createHmac('sha256', secret).update(`${use}\n${text}`).digest('base64url');
  const verified = (value: string): Session | undefined => {
    const [, keyId = '', expires = '', id = '', signature = ''] = form.exec(value) ?? [];
    if (!equal(signature, sign('session', `${keyId}.${expires}.${id}`))) return undefined;
    const expiresS = Number(expires);
    return expiresS > Date.now() / 1_000 ? { keyId, expiresS, id, value } : undefined;
  };
  const csrfToken = ({ value }: Session): string => sign('csrf', value);
  return {
    /** Host names at which sessions work. Empty: all. */
    hosts,
    open: (keyId: string): Session => {
      const expiresS = Math.floor(Date.now() / 1_000) + ttlS;
      const id = randomBytes(12).toString('base64url');
      const signed = `${keyId}.${expiresS}.${id}`;
      return { keyId, expiresS, id, value: `${signed}.${sign('session', signed)}` };
    },
    /** A session that this system signed and that has not expired. Its key may be revoked. */
    read: (cookies: string | undefined): Session | undefined => {
      for (const value of valuesIn(cookies ?? '')) {
        const session = verified(value);
        if (session !== undefined) return session;
      }
      return undefined;
    },
    /** The token that a page must send with a write. Only a page of this origin can know it. */
    csrfToken,
    isCsrfToken: (session: Session, token: string | undefined) =>
      token !== undefined && equal(token, csrfToken(session)),
  };
};

/** A browser may send several cookies with one name from different paths. */
const valuesIn = (cookies: string): string[] =>
  cookies.split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=', 2);
    return name === cookieName && value !== undefined ? [value] : [];
  });

/** In constant time, so that the duration reveals nothing about the correct text. */
const equal = (given: string, right: string): boolean => {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
};

/** A Set-Cookie header. Without a session it deletes the cookie. */
export const setCookie = (session: Session | undefined, { secure }: { secure: boolean }): string => {
  const ageS = session === undefined ? 0 : Math.max(0, Math.floor(session.expiresS - Date.now() / 1_000));
  const attributes = [`${cookieName}=${session?.value ?? ''}`, `Max-Age=${ageS}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  return [...attributes, ...(secure ? ['Secure'] : [])].join('; ');
};
