import { DomainError, type ErrorCode, errorRecords, internalError } from '@almanac/contracts';
import { type Fault, ValidationError } from '../validation/fault.js';
import { type HttpCode, httpErrors } from './http-errors.js';

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Without the request id and the notices, which every error has. */
  readonly body: Readonly<Record<string, unknown>>;
}

export class HttpError extends Error {
  override readonly name = 'HttpError';

  readonly status: number;

  constructor(
    readonly code: HttpCode,
    readonly details: { readonly detail: string; readonly headers?: Readonly<Record<string, string>> },
  ) {
    super(`${code}: ${details.detail}`);
    this.status = httpErrors[code].status;
  }
}

export const pathNotFound = (nearest?: string): HttpError => {
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const detail = `This path does not exist.${suggestion} See /docs for the list of endpoints.`;
  return new HttpError('not_found', { detail });
};

/** The request limit of the plan is exceeded, and in how many seconds a request is possible again. */
export const rateLimited = (limit: number, seconds: number): HttpError =>
  new HttpError('rate_limited', {
    detail: `Your plan's limit for requests per minute is ${limit}. Try again in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  });

/** Too many API keys from the client's address were rejected. */
export const tooManyFailedKeys = (seconds: number): HttpError =>
  new HttpError('rate_limited', {
    detail: `Too many invalid API keys came from your address. Try again in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  });

/** A write with a session that another site could have sent. */
export const csrfRefused = (detail: string): HttpError => new HttpError('csrf_refused', { detail });

/** The response for a thrown value. An unexpected one gives 500 without details. */
export const errorResponseOf = (error: unknown): ErrorResponse => {
  if (error instanceof ValidationError) {
    return { status: 422, headers: {}, body: { detail: error.faults, code: error.code } };
  }
  if (error instanceof HttpError) {
    const { status, code, details } = error;
    return { status, headers: details.headers ?? {}, body: { detail: details.detail, code } };
  }
  if (error instanceof DomainError) return errorResponseOfDomain(error);
  // A path with a malformed percent sign matches no resource.
  if (error instanceof URIError) return errorResponseOf(pathNotFound());
  return errorResponseOfDomain(internalError());
};

const errorResponseOfDomain = (error: DomainError): ErrorResponse => {
  const { code, detail, more = {} } = error.reply;
  if (code === 'invalid_cursor')
    return errorResponseOf(new ValidationError([noCursor(detail, more['input'])], [], code));
  const { status } = errorRecords[code];
  const { retry_after_s: retryAfterS, ...rest } = more;
  const headers: Record<string, string> = {};
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (status === 503 || status === 429) headers['Retry-After'] = String(retryAfter(code, retryAfterS));
  return { status, headers, body: { detail, code, ...rest } };
};

/** Only the service that issued a cursor can read it. Its error becomes a fault of the query. */
const noCursor = (error: string, input: unknown): Fault => {
  const loc = ['query', 'cursor'];
  return { type: 'value_error', loc, msg: `Value error, ${error}`, input, ctx: { error: {} } };
};

/** In whole seconds: the service's value, else the start of the next UTC day, or a short time. */
const retryAfter = (code: ErrorCode, retryAfterSeconds: unknown): number => {
  if (typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0) return Math.ceil(retryAfterSeconds);
  const daySeconds = 86_400;
  if (code === 'export_daily_limit' || code === 'key_daily_limit')
    return daySeconds - (Math.floor(Date.now() / 1_000) % daySeconds);
  return code === 'export_pending_limit' ? 5 : 1;
};
