import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { currentRequestContext } from '@almanac/runtime';
import type { NotedResponse } from './exchange.js';

/** Safe in a log line and a header without encoding. */
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The caller's own id if it is valid, else a new one. */
export const requestIdIn = ({ headers }: IncomingMessage): string => {
  const own = headers['x-request-id'];
  return typeof own === 'string' && sane.test(own) ? own : randomUUID();
};

/** The id of a request, the same on each call. */
export const requestIdOf = (response: NotedResponse): string => {
  const known: unknown = response.locals['requestId'];
  if (typeof known === 'string') return known;
  const id = currentRequestContext()?.requestId ?? requestIdIn(response.req);
  response.locals['requestId'] = id;
  return id;
};
