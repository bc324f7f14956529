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

/**
 * HTTP/1.1 requires one host. Node itself would reject a request without one without a body, and use the first of several,
 * where a proxy before it may have used another.
 */
export const hasOneHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
};

export const refuseHost = (response: ServerResponse): void => {
  const { body, headers } = errorResponse('The request must have exactly one Host header.');
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
