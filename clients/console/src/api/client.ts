import { Almanac, type AlmanacOptions } from '@almanac/client';
import { countingFetch } from './requests-left.js';
import { csrfToken } from './session.js';
import { consoleWording } from './wording.js';

/** The browser's cookie says who calls, so the page holds no key. */
const options: AlmanacOptions = {
  baseUrl: location.origin,
  session: { csrfToken },
  fetch: countingFetch,
  wording: consoleWording,
  // A screen shows an outage, and goes on when the gateway answers.
  maxRetries: 1,
  deadlineMs: 40_000,
};

/** The client of the gateway that serves this page. */
export const almanac = new Almanac(options);

let past: { readonly as_of: number; readonly client: Almanac } | undefined;

/**
 * The archive as it was known at a time. Its client puts the time into every call, and refuses a call that cannot answer as
 * of it, so no screen can show later knowledge by mistake.
 */
export const archiveAt = (as_of: number | undefined): Almanac => {
  if (as_of === undefined) return almanac;
  if (past?.as_of !== as_of) past = { as_of, client: new Almanac({ ...options, as_of }) };
  return past.client;
};
