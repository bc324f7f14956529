import { DomainError } from '@almanac/contracts';
import type { Request, RequestHandler, Response } from 'express';
import type { Authentication } from '../auth/authenticate.js';
import { refuseLongBody, type WithBody } from '../http/read-body.js';
import { sendJson } from '../http/reply.js';
import type { Caller } from '../http/exchange.js';
import { requestIdOf } from '../http/request-id.js';
import type { Admit } from '../limits/admit.js';
import { refuseOtherSites, requireCsrfToken, requireKnownHost, requireSameOrigin } from './same-origin.js';
import { type Session, type Sessions, setCookie } from '../auth/session.js';

export const sessionPath = '/auth/session';

export interface SessionPageOptions {
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly admit: Admit;
  readonly withBody: WithBody;
}

export const sessionPage = (options: SessionPageOptions): Record<'get' | 'post' | 'delete', RequestHandler> => {
  const { authentication, sessions, admit, withBody } = options;
  const open = async (authorization: string | undefined, request: Request, response: Response): Promise<void> => {
    requireKnownHost(sessions, request);
    const caller = await authentication.caller(authorization, requestIdOf(response), request);
    await admit(caller, response);
    const session = sessions.open(caller.keyId);
    response.setHeader('Set-Cookie', setCookie(session, request));
    sendJson(response, present(session, caller));
  };
  const present = (session: Session, { keyId, plan, asOf }: Caller) => ({
    csrf_token: sessions.csrfToken(session),
    expires_ts: session.expiresS,
    key_id: keyId,
    plan,
    as_of: asOf,
  });
  return {
    /** The open session, with the token that a page loses when it is loaded again. */
    get: async (request, response) => {
      refuseOtherSites(request);
      requireKnownHost(sessions, request);
      const session = sessions.read(request.headers.cookie);
      if (session === undefined) throw noSession();
      const caller = await authentication.callerOfSession(session, requestIdOf(response));
      await admit(caller, response);
      sendJson(response, present(session, caller));
    },
    /** Creates a session for a valid key, sent in the Authorization header or as the form field `api_key`. */
    post: (request, response) => {
      const { authorization } = request.headers;
      if (authorization !== undefined) {
        refuseLongBody(request, formBytesMax);
        return open(authorization, request, response);
      }
      return withBody(request, { limit: formBytesMax, account: 'sessions' }, (bytes) =>
        open(ofForm(request, bytes), request, response),
      );
    },
    /** Ends the session on every gateway and removes the cookie. An invalid session needs no CSRF token. */
    delete: async (request, response) => {
      refuseLongBody(request, formBytesMax);
      const session = sessions.read(request.headers.cookie);
      if (session !== undefined) {
        requireCsrfToken(sessions, session, request);
        await authentication.endSession(session, requestIdOf(response));
      }
      response.setHeader('Set-Cookie', setCookie(undefined, request));
      sendJson(response, { ended: session !== undefined });
    },
  };
};

const noSession = (): DomainError =>
  new DomainError('unauthenticated', 'There is no open session. Sign in with an API key.');

/** A form has one key. */
const formBytesMax = 8_192;

/** Any page can send a form, and it must not log a visitor in to another account. */
const ofForm = (request: Request, bytes: Buffer): string | undefined => {
  if (request.is('application/x-www-form-urlencoded') === false) return undefined;
  const key = new URLSearchParams(bytes.toString('utf8')).get('api_key');
  if (key === null) return undefined;
  requireSameOrigin(request);
  return `Bearer ${key}`;
};
