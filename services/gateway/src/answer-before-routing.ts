import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTracing, perValue } from '@almanac/runtime';
import type { Authentication } from './auth/authenticate.js';
import type { AnswerError } from './http/answer-error.js';
import type { ReserveAnswer } from './http/answer-memory.js';
import type { NotedResponse, ReceivedRequest } from './http/exchange.js';
import type { RequestMetrics } from './http/metrics.js';
import { admitNow } from './limits/admit.js';
import type { RateLimits } from './limits/rate-limits.js';
import { send } from './cache/cached-response.js';
import type { Forwarder } from './cache/forward.js';

interface BeforeRoutingOptions {
  readonly authentication: Pick<Authentication, 'knownCaller' | 'used'>;
  readonly limits: Pick<RateLimits, 'of'>;
  readonly metrics: RequestMetrics;
  readonly reserveAnswer: ReserveAnswer;
  readonly forwarder: Pick<Forwarder, 'answerTo' | 'countHit'>;
  /** The CORS headers of the request. Undefined: no other origin may read. */
  readonly cors: ((request: IncomingMessage) => string[]) | undefined;
  readonly answerError: AnswerError;
}

/**
 * Answers a request before Express has it, and returns true, if nothing has to be waited for or validated: it has a verified
 * key with a free request, and the answer to the same address is cached. Otherwise it changes and counts nothing, and the
 * route answers. Measured: Express and the route take as long as Node itself needs for the request.
 */
export const answerBeforeRouting = (
  options: BeforeRoutingOptions,
): ((request: IncomingMessage, response: ServerResponse) => boolean) => {
  const { authentication, limits, metrics, reserveAnswer, forwarder, cors, answerError } = options;
  const meterOf = perValue((path: string) => metrics.of(path, 'get'));
  const admitted = admitNow(limits);
  return (request, bare) => {
    const { authorization } = request.headers;
    if (authorization === undefined || !isPlainGet(request) || isTracing()) return false;
    const caller = authentication.knownCaller(authorization, request.socket);
    if (caller === undefined) return false;
    const found = forwarder.answerTo(request, caller);
    if (found === undefined) return false;
    const response = noted(bare);
    if (!admitted(caller, response)) return false;
    authentication.used(caller);
    forwarder.countHit(found.path);
    meterOf(found.path).begin(response);
    if (cors !== undefined) response.locals['cors'] = cors(request);
    try {
      send({ request, response, caller, reserveAnswer }, found.answer);
    } catch (error) {
      answerError(error, request, response);
    }
    return true;
  };
};

/** A GET without a body, which may be too long. */
const isPlainGet = (request: IncomingMessage): request is ReceivedRequest =>
  request.method === 'GET' &&
  request.headers['content-length'] === undefined &&
  request.headers['transfer-encoding'] === undefined;

/** Express keeps these `locals` if it gets the response after all. */
const noted = (response: ServerResponse): NotedResponse => Object.assign(response, { locals: {} });
