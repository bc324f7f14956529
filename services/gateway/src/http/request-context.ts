import type { RequestListener } from 'node:http';
import {
  runInRequestContext,
  beginSpan,
  currentRequestContext,
  type Logger,
  type RequestContext,
} from '@almanac/runtime';
import type { Request, Response } from 'express';
import { requestIdIn, requestIdOf } from './request-id.js';

/**
 * Answers each request as a work of its own, whose id is then in every line of the log that is written for it; with the
 * level `debug` each answer has a line. Around the whole app, since a layer of it would cost more than this.
 */
export const withRequestContext = (app: RequestListener, log: Logger): RequestListener => {
  const logsRequests = log.isLevelEnabled('debug');
  return (request, response) => {
    const work: RequestContext = { requestId: requestIdIn(request), span: undefined };
    if (logsRequests) {
      const { method, url } = request;
      const beganAt = performance.now();
      response.on('close', () => {
        const fields = { method, path: url?.split('?')[0], status: response.statusCode };
        runInRequestContext(work, () =>
          log.debug({ ...fields, ms: Math.round(performance.now() - beganAt) }, 'a request was answered'),
        );
      });
    }
    runInRequestContext(work, () => app(request, response));
  };
};

/**
 * Begins the span of a request that a route answers, in the trace that its client names, if this process makes traces.
 * What the client wrote is not in it: a path may hold what somebody took for a place for a key.
 */
export const beginTrace = (request: Request, response: Response, route: string): void => {
  const { method, protocol } = request;
  const span = beginSpan(traceHeadersOf(request), () => ({
    kind: 'server',
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': protocol,
      'almanac.request_id': requestIdOf(response),
    },
  }));
  const work = currentRequestContext();
  if (span === undefined || work === undefined) return;
  work.span = span;
  response.on('close', () => {
    // A client that was gone before it was answered has no status.
    if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
    if (response.headersSent && response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
};

/** A header that came twice is no valid one. */
const traceHeadersOf = ({ headers: { traceparent, tracestate } }: Request) => ({
  ...(typeof traceparent === 'string' ? { traceparent } : {}),
  ...(typeof tracestate === 'string' ? { tracestate } : {}),
});
