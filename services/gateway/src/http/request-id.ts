import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { currentRequestContext } from '@almanac/runtime';
import type { Response } from 'express';

/** What can stand in a log line and a header as it is. */
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The caller's own id when it sent a sane one, else a new one. */
export const requestIdIn = ({ headers }: IncomingMessage): string => {
  const own = headers['x-request-id'];
  return typeof own === 'string' && sane.test(own) ? own : randomUUID();
};

/** The id of a request, the same each time it is asked for. */
export const requestIdOf = (response: Response): string => {
  const known: unknown = response.locals['requestId'];
  if (typeof known === 'string') return known;
  const id = currentRequestContext()?.requestId ?? requestIdIn(response.req);
  response.locals['requestId'] = id;
  return id;
};
