import type { Request } from 'express';
import type { Authentication } from '../auth/authenticate.js';
import type { Caller } from '../http/exchange.js';
import { refuseOtherSites, requireCsrfToken, requireKnownHost } from './same-origin.js';
import type { Session, Sessions } from '../auth/session.js';

export interface ResolveCallerOptions {
  readonly authentication: Authentication;
  readonly sessions: Sessions;
}

/** Authenticates a request by its key. If there is no key, by the session's cookie. */
export const resolveCaller = ({ authentication, sessions }: ResolveCallerOptions) => {
  const writer = async (session: Session, request: Request, requestId: string): Promise<Caller> => {
    const caller = await authentication.callerOfSession(session, requestId);
    requireCsrfToken(sessions, session, request);
    return caller;
  };
  return (request: Request, requestId: string): Caller | Promise<Caller> => {
    const { authorization, cookie } = request.headers;
    const session = authorization === undefined && cookie !== undefined ? sessions.read(cookie) : undefined;
    if (session === undefined) return authentication.caller(authorization, requestId, request);
    requireKnownHost(sessions, request);
    if (request.method !== 'GET' && request.method !== 'HEAD') return writer(session, request, requestId);
    refuseOtherSites(request);
    return authentication.callerOfSession(session, requestId);
  };
};
export type ResolveCaller = ReturnType<typeof resolveCaller>;
