import type { Logger } from '@almanac/runtime';
import { addNotices, noticesOf } from '../notices/request-notices.js';
import { ValidationError } from '../validation/fault.js';
import { errorResponseOf } from './error-response.js';
import type { NotedResponse, ReceivedRequest } from './exchange.js';
import type { RequestMetrics } from './metrics.js';
import { acceptsProblem, problemDetailsOf, problemType } from './problem-details.js';
import { notStored, writeHead } from './reply.js';
import { requestIdOf } from './request-id.js';

export type AnswerError = (error: unknown, request: ReceivedRequest, response: NotedResponse) => void;

/** Answers a request whose handling failed, and logs what is a fault of the server. */
export const errorAnswers =
  (log: Logger, metrics: RequestMetrics): AnswerError =>
  (error, request, response) => {
    metrics.beginOther(response);
    const { status, headers, body } = errorResponseOf(error);
    if (error instanceof ValidationError) addNotices(response, error.notices);
    const notices = noticesOf(response);
    const requestId = requestIdOf(response);
    const path = request.url.split('?', 1).join('');
    const fields = { err: error, request_id: requestId, method: request.method, path, status };
    if (response.destroyed || response.headersSent) {
      // The client disconnected. It needs no answer, and this is no fault of the server.
      log[isHangUp(error) ? 'debug' : 'warn'](fields, 'an answer was interrupted');
      response.destroy();
      return;
    }
    if (status >= 500) log[status === 500 ? 'error' : 'warn'](fields, 'a request failed');
    const whole = { ...body, request_id: requestId, ...(notices.length === 0 ? {} : { notices }) };
    const isProblem = acceptsProblem(request.headers.accept);
    const text = JSON.stringify(isProblem ? problemDetailsOf(status, whole) : whole);
    const type = { 'Content-Type': isProblem ? problemType : 'application/json' };
    const length = { ...type, 'Content-Length': Buffer.byteLength(text) };
    writeHead(response, status, { ...length, 'Cache-Control': notStored, ...headers }).end(text);
  };

const isHangUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET');
