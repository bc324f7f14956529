import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What can stand in a log line and a header as it is. */
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The caller's own request id when it is a sane one, else a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && sane.test(own) ? own : randomUUID();
};
