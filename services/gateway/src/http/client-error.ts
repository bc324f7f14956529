import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers invalid HTTP, which reaches no route, in the same form as every other error. */
export const answerClientError = (error: Error & { code?: string }, socket: Duplex): void => {
  // An error after the begin of an answer must not be written into that answer.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.writableLength > 0) {
    socket.destroy();
    return;
  }
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = tooLong ? '431 Request Header Fields Too Large' : late ? '408 Request Timeout' : '400 Bad Request';
  const detail = tooLong
    ? 'The URL or the headers are too long. Send a shorter request.'
    : late
      ? 'The request took too long to arrive. Send it again.'
      : 'The server could not read the data as an HTTP request.';
  const { body, headers } = errorResponse(detail);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`${[`HTTP/1.1 ${status}`, ...lines].join('\r\n')}\r\n\r\n${body}`);
};

/** HTTP/1.1 requires a host. Node itself would reject the request without a body. */
export const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === '1.1';

export const refuseHostless = (response: ServerResponse): void => {
  const { body, headers } = errorResponse('The request has no Host header. HTTP/1.1 requires one.');
  response.writeHead(400, headers).end(body);
};

/** No route is known, and the connection closes after it. */
const errorResponse = (detail: string) => {
  const requestId = randomUUID();
  const body = JSON.stringify({ detail, code: 'bad_request', request_id: requestId });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { body, headers };
};
