import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bodies of refused requests that are read at a time. All of them can be ready in one turn of the event loop. */
export const unreadAtOnce = 32;
/** A sender may need this long to send the rest of its body and then read the answer. */
const restMsMax = 10_000;

/**
 * Call it for each request before it is answered. The body of a refused request is read to its end, so that its sender gets the
 * answer. Beyond a limit connections are closed: 1,700 bodies of 1 MB stopped every other answer for 15 s.
 */
export const restOfBodies = (): ((request: IncomingMessage, response: ServerResponse) => void) => {
  let reading = 0;
  const settle = (request: IncomingMessage): void => {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    if (reading >= unreadAtOnce) {
      socket.destroy();
      return;
    }
    reading += 1;
    const timer = setTimeout(() => socket.destroy(), restMsMax);
    const end = (): void => {
      request.off('end', end);
      socket.off('close', end);
      clearTimeout(timer);
      reading -= 1;
    };
    request.once('end', end);
    // After the answer, Node tells a request nothing of its connection.
    socket.once('close', end);
  };
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return;
    response.once('finish', () => settle(request));
  };
};
