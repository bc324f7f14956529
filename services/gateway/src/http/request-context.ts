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
 * Runs each request in its own request context, whose id is in all of its log lines. With level `debug` each answer
 * is logged. It wraps the app, because an Express layer would cost more.
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
 * Begins the span of a routed request, in the client's trace, if this process traces. It contains no client input: a
 * path may contain a misplaced key.
 */
export const beginTrace = (request: Request, response: Response, route: string): void => {
  const { method } = request;
  const span = beginSpan(
    () => traceHeadersOf(request),
    () => ({
      kind: 'server',
      name: `${method} ${route}`,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.scheme': request.protocol,
        'almanac.request_id': requestIdOf(response),
      },
    }),
  );
  const work = currentRequestContext();
  if (span === undefined || work === undefined) return;
  work.span = span;
  response.on('close', () => {
    // A client that disconnected before its answer has no status.
    if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
    if (response.headersSent && response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
};

/** A repeated header is invalid. */
const traceHeadersOf = ({ headers: { traceparent, tracestate } }: Request) => ({
  ...(typeof traceparent === 'string' ? { traceparent } : {}),
  ...(typeof tracestate === 'string' ? { tracestate } : {}),
});
