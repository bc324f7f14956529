import { randomUUID } from 'node:crypto';
import type { Response } from 'express';

/** What can stand in a log line and a header as it is. */
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The id of a request: the caller's own when it sent a sane one, else a new one; the same each time it is asked for. */
export const requestIdOf = (response: Response): string => {
  const known: unknown = response.locals['requestId'];
  if (typeof known === 'string') return known;
  const own = response.req.headers['x-request-id'];
  const id = typeof own === 'string' && sane.test(own) ? own : randomUUID();
  response.locals['requestId'] = id;
  return id;
};
