import type { IncomingMessage } from 'node:http';
import { responseHeaderNames } from './headers.js';

/** Where a page may run whose scripts read this API: `*`, or origins. Empty: no other origin. */
export type CorsOrigins = readonly string[];

/** Headers of the request, as a script may send them. A cookie is not among them: CORS never allows credentials here. */
const requestHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Prefer',
  'Range',
  'X-Request-Id',
];

const methods = 'GET, HEAD, POST, DELETE';
/** Browsers keep the answer to a preflight at most two hours (Chromium). */
const preflightSeconds = 7_200;

/**
 * The CORS headers, as names and values, for scripts of configured origins. `writeHead` sends them, with errors too. Keys
 * travel in a header and cookies are never allowed, so `*` gives a page nothing that its user did not give it.
 */
export const corsHeaders = (origins: CorsOrigins): ((request: IncomingMessage) => string[]) => {
  const allowed = new Set(origins);
  const exposed = responseHeaderNames.join(', ');
  const allowedHeaders = requestHeaders.join(', ');
  return (request) => {
    const { origin } = request.headers;
    const all: string[] = allowed.has('*') ? [] : ['Vary', 'Origin'];
    if (origin !== undefined && (allowed.has('*') || allowed.has(origin))) {
      all.push('Access-Control-Allow-Origin', allowed.has('*') ? '*' : origin);
      all.push('Access-Control-Expose-Headers', exposed);
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        all.push('Access-Control-Allow-Methods', methods, 'Access-Control-Allow-Headers', allowedHeaders);
        all.push('Access-Control-Max-Age', String(preflightSeconds));
      }
    }
    return all;
  };
};
