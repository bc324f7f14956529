import { inWordsOf } from './wording.js';
import { AlmanacError } from '../errors.js';
import { type OperationId, operations } from '../generated/operations.js';
import type { CallOptions } from '../types.js';
import { asOfSeconds, type Time, withSeconds } from '../times.js';
import { invalidOption, type Settings } from './settings.js';

/** One call of an operation, before defaults. */
export interface Request {
  readonly operation: OperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `fetch` gets for every attempt of the call. */
export interface PreparedRequest {
  readonly url: string;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string };
}

export const prepare = (request: Request, settings: Settings, options: CallOptions): PreparedRequest => {
  const { method, path: template } = operations[request.operation];
  const { query, body } = withAsOf(request, settings);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, request.path?.[name]));
  const search = searchOf(query);
  const headers: Record<string, string> = { ...settings.credentials(method), ...request.headers };
  if (settings.strict) headers['Prefer'] = 'handling=strict';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // One key for all attempts of the call, so that a repeated one has no second effect.
  if (method === 'POST') headers['Idempotency-Key'] = options.idempotencyKey ?? randomId();
  return {
    url: `${settings.baseUrl}${path}${search}`,
    init: { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  };
};

/** An empty id would make another path, and the answer of another endpoint. */
const segmentOf = (name: string, value: string | undefined): string => {
  // A half of a pair of UTF-16 has no bytes in UTF-8. isWellFormed() is newer than Node 18.
  if (typeof value !== 'string' || ['', '.', '..'].includes(value) || /\p{Surrogate}/u.test(value)) {
    throw invalidOption(`${name} is ${JSON.stringify(value)}.`, 'Pass the id as text.');
  }
  return encodeURIComponent(value);
};

const searchOf = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value as string | number | boolean)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

type Fields = Readonly<Record<string, unknown>>;

/** The client's point in time goes into each request that takes one. A request that cannot answer as of it is refused. */
const withAsOf = (
  request: Request,
  settings: Settings,
): { readonly query: Fields; readonly body: Fields | undefined } => {
  const { operation, query = {}, body } = request;
  const given = { query: withSeconds(query as Fields), body: body && withSeconds(body as Fields) };
  const { method, path, asOf } = operations[operation];
  if (asOf === 'taken') {
    const fields = method === 'POST' ? (given.body ?? {}) : given.query;
    const as_of = earlier(fields['as_of'] as Time | undefined, settings.asOf);
    const dated = as_of === undefined ? fields : { ...fields, as_of };
    return method === 'POST' ? { query: given.query, body: dated } : { query: dated, body: given.body };
  }
  if (settings.asOf === undefined || asOf === 'irrelevant') return given;
  throw new AlmanacError({
    code: 'as_of_unsupported',
    detail: inWordsOf(
      `${method} ${path} cannot answer as of a time, so it could show what was not known then.`,
      settings.wording,
    ),
    remedy: 'Use a client without as_of for this call.',
  });
};

const earlier = (ofCall: Time | undefined, ofClient: number | undefined): number | undefined => {
  if (ofCall === undefined) return ofClient;
  const seconds = asOfSeconds(ofCall);
  if (ofClient === undefined || seconds <= ofClient) return seconds;
  throw invalidOption(
    `as_of of the call (${seconds}) is later than that of the client (${ofClient}).`,
    'Pass an earlier time, or use another client.',
  );
};

/** A random id of 128 bits. Node 18 and pages without HTTPS have no `crypto.randomUUID`. */
const randomId = (): string => {
  const { crypto } = globalThis as { crypto?: Pick<Crypto, 'getRandomValues'> };
  const bytes = new Uint8Array(16);
  if (crypto === undefined) for (let at = 0; at < 16; at += 1) bytes[at] = Math.floor(Math.random() * 256);
  else crypto.getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
