import type { Request } from 'express';
import type { Authentication } from '../auth/authenticate.js';
import type { Caller } from '../http/exchange.js';
import { requireCsrfToken } from './same-origin.js';
import type { Sessions } from './session.js';

export interface ResolveCallerOptions {
  readonly authentication: Authentication;
  readonly sessions: Sessions;
}

interface CallerRequest {
  readonly requestId: string;
  readonly takesSession: boolean;
}

/** Authenticates a request by its key. If the path accepts sessions and there is no key, by the session's cookie. */
export const resolveCaller = ({ authentication, sessions }: ResolveCallerOptions) => {
  const bySession = async (request: Request, requestId: string): Promise<Caller> => {
    const session = sessions.read(request.headers.cookie);
    if (session === undefined) return authentication.caller(undefined, requestId, request);
    const caller = await authentication.callerOfSession(session, requestId);
    if (request.method !== 'GET' && request.method !== 'HEAD') requireCsrfToken(sessions, session, request);
    return caller;
  };
  return (request: Request, { requestId, takesSession }: CallerRequest): Caller | Promise<Caller> => {
    const { authorization } = request.headers;
    if (takesSession && authorization === undefined) return bySession(request, requestId);
    return authentication.caller(authorization, requestId, request);
  };
};
export type ResolveCaller = ReturnType<typeof resolveCaller>;
