import type { ErrorText } from '@almanac/contracts';
import type { Fault } from '../validation/fault.js';

/** Everything about one code of an error that only the gateway sends. */
interface HttpErrorRecord extends ErrorText {
  readonly status: number;
  readonly example: { readonly detail: string | readonly Fault[]; readonly headers?: Readonly<Record<string, string>> };
}

export const httpErrors = {
  not_found: {
    status: 404,
    meaning: 'No endpoint has this path.',
    when: 'the path does not exist',
    cause: 'The path is misspelled, has the wrong case, or has a malformed `%` sequence.',
    remedy: 'Send the path that `detail` suggests, or find it in the reference at `/docs`. Paths are case-sensitive.',
    example: { detail: 'This path does not exist. See /docs for the list of endpoints.' },
  },
  validation_failed: {
    status: 422,
    meaning: 'The request has values or fields that the endpoint does not accept.',
    when: 'the request has invalid fields',
    cause:
      '`detail` lists every problem with its location in `loc`. A request with `Prefer: handling=strict` also fails if it has unknown parameters, fields or filter values. A request that spends money or quota fails if its body has an unknown field.',
    remedy:
      'Correct each item of `detail`. `ctx.nearest` has the nearest known name, and `notices` can have a hint, such as the Unix seconds of a date.',
    example: {
      detail: [
        {
          type: 'less_than_equal',
          loc: ['query', 'limit'],
          msg: 'Input should be less than or equal to 200',
          input: '201',
          ctx: { le: 200 },
        },
      ],
    },
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists but does not support this HTTP method.',
    when: 'the path does not support this method, and `Allow` lists the methods',
    cause: 'The request uses another method than the endpoint, such as PUT instead of POST.',
    remedy: 'Use one of the methods in the `Allow` header.',
    example: { detail: 'This path does not support the method PUT. Use one of: GET, HEAD.' },
  },
  payload_too_large: {
    status: 413,
    meaning: 'The request body is too large.',
    when: 'the request body is too large',
    cause: '`detail` gives the limit in bytes.',
    remedy: 'Send a smaller body.',
    example: { detail: 'The request body is larger than 262144 bytes. Send a smaller body.' },
  },
  range_not_satisfiable: {
    status: 416,
    meaning: 'The requested byte range is outside the file.',
    when: 'the requested range is outside the file',
    cause: 'The `Range` header starts at or after the end of the file.',
    remedy:
      'Read the size of the file in `Content-Range`, and send a range inside it. Without `Range` you get the whole file.',
    example: { detail: 'The requested range is outside the file. `Content-Range` gives the size of the file.' },
  },
  bad_request: {
    status: 400,
    meaning: 'The server cannot read the request as HTTP.',
    when: 'the server cannot read the request as HTTP',
    cause:
      'The request is malformed or has no `Host` header. With status 408 the request arrived too slowly, and with status 431 its URL or headers are too long.',
    remedy: 'Check the HTTP client and any proxy between it and the server.',
    example: { detail: 'The server could not read the data as an HTTP request.' },
  },
  rate_limited: {
    status: 429,
    meaning:
      'Your account sent more requests in a minute than its plan allows, or your address sent many invalid API keys.',
    when: 'the account sent more requests in a minute than its plan allows',
    cause:
      'All keys of an account share one limit. An address that sends many different invalid keys in a minute has its own limit.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.',
    example: {
      detail: "Your plan's limit for requests per minute is 1200. Try again in 7 s.",
      headers: { 'Retry-After': '7' },
    },
  },
  too_many_streams: {
    status: 429,
    meaning: 'Your account has too many event streams open.',
    when: 'the account has too many event streams open',
    cause: 'Each open `GET /api/v1/exports/{export_id}/events` counts until its connection ends.',
    remedy: 'Close a stream that you no longer read, or poll the export instead.',
    example: {
      detail: 'Your account can have 20 event streams open at once. Close a stream, or poll the export instead.',
      headers: { 'Retry-After': '15' },
    },
  },
  csrf_refused: {
    status: 403,
    meaning: 'The server refused a request with a session cookie.',
    when: 'a request with a session comes from another origin or lacks its `X-CSRF-Token`',
    cause:
      'The request comes from a page of another origin, or it changes data and does not send the CSRF token of the session.',
    remedy:
      'Send the `csrf_token` from `POST /auth/session` in the header `X-CSRF-Token`, from a page of the same origin. Requests with an API key do not need a token.',
    example: {
      detail:
        'A request that changes data with a session must send the CSRF token of that session in the header `X-CSRF-Token`.',
    },
  },
} as const satisfies Readonly<Record<string, HttpErrorRecord>>;

export type HttpCode = keyof typeof httpErrors;

const isHttpCode = (name: string): name is HttpCode => Object.hasOwn(httpErrors, name);
export const httpCodes: readonly HttpCode[] = Object.keys(httpErrors).filter(isHttpCode);
