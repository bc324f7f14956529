import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';

/** Answers what is no HTTP request, which never gets as far as a route, in the shape of every other error. */
export const answerClientError = (error: Error & { code?: string }, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = tooLong ? '431 Request Header Fields Too Large' : late ? '408 Request Timeout' : '400 Bad Request';
  const detail = tooLong
    ? 'The address or the headers are too long.'
    : late
      ? 'The request did not arrive in time.'
      : 'This is not an HTTP request.';
  const requestId = randomUUID();
  const body = JSON.stringify({ detail, code: 'bad_request', request_id: requestId });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
