import type { Request } from 'express';
import { csrfRefused } from '../http/error-response.js';
import type { Session, Sessions } from '../auth/session.js';

const foreignOrigin = 'A request that changes data with a session must come from a page of the same origin.';
export const missingToken =
  'A request that changes data with a session must send the CSRF token of that session in the header `X-CSRF-Token`.';

/**
 * Rejects requests that a page of another origin could send with a visitor's cookies. Browsers state the origin, and
 * pages cannot change it.
 */
export const requireSameOrigin = (request: Request): void => {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const isOwn = origin === undefined ? site === 'same-origin' : hostOf(origin) === request.host;
  if (!isOwn || (site !== undefined && site !== 'same-origin')) throw csrfRefused(foreignOrigin);
};

/**
 * Rejects sessions at a name that is not this server's. A page whose name later resolves to this server has its origin and its
 * cookies there. With no `hosts`, every name is right.
 */
export const requireKnownHost = ({ hosts }: Pick<Sessions, 'hosts'>, request: Request): void => {
  if (hosts.length === 0 || hosts.includes(request.hostname.toLowerCase())) return;
  throw csrfRefused(
    `Sessions do not work at the host name ${request.hostname.slice(0, 80)}. Use ${hosts.join(' or ')}, or add the name to SESSION_HOSTS.`,
  );
};

const readFromElsewhere =
  'A page of another site cannot read with a session. Open the address directly, or send an API key.';

/**
 * Rejects reads that a page of another site begins with a visitor's cookies: they would count for the visitor's plan,
 * and their duration can reveal what exists. An address that the visitor opens is accepted, and so are clients that are
 * no browser and send no such header.
 */
export const refuseOtherSites = (request: Request): void => {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw csrfRefused(readFromElsewhere);
};

/** In addition, the page must know the session's token. */
export const requireCsrfToken = (sessions: Sessions, session: Session, request: Request): void => {
  requireSameOrigin(request);
  if (!sessions.isCsrfToken(session, request.get('x-csrf-token'))) {
    throw csrfRefused(missingToken);
  }
};

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);
