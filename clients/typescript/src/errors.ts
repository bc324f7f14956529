import type { ApiErrorCode } from './generated/error-advice.js';
import type { Notice } from './types.js';

/** What the client itself reports. The other codes are those of the API: docs/errors. */
export type ClientErrorCode =
  | 'as_of_unsupported'
  | 'certificate_refused'
  | 'connection_failed'
  | 'deadline_exceeded'
  | 'disk_full'
  | 'file_conflict'
  | 'file_mismatch'
  | 'file_unwritable'
  | 'invalid_options'
  | 'not_almanac'
  | 'result_too_large'
  | 'webhook_invalid';

/** A newer server can send a code that this client does not know. */
export type ErrorCode = ApiErrorCode | ClientErrorCode | (string & Record<never, never>);

/** One invalid field of a request with status 422. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

interface ErrorFacts {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly remedy: string;
  readonly cause?: unknown;
}

/** Every error of this package, except the reason of an aborted signal. Decide by `code`, which never changes. */
export class AlmanacError extends Error {
  override readonly name: string = 'AlmanacError';
  readonly code: ErrorCode;
  /** What happened, for people. */
  readonly detail: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Names the request in the logs of the server. Null if no answer of the server has arrived. */
  readonly request_id: string | null = null;

  constructor({ code, detail, remedy, cause }: ErrorFacts, suffix = '') {
    super(`${code}: ${detail} ${remedy}${suffix}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
    this.remedy = remedy;
  }
}

interface AnswerFacts extends ErrorFacts {
  readonly status: number;
  readonly request_id: string | null;
  readonly retryAfter: number | null;
  readonly fields: readonly FieldError[];
  readonly notices: readonly Notice[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** The server refused the request or could not answer it. */
export class ApiError extends AlmanacError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  override readonly request_id: string | null;
  /** Seconds after which the same request can succeed. Null if the server names none. */
  readonly retryAfter: number | null;
  /** The invalid fields of a status 422. */
  readonly fields: readonly FieldError[];
  readonly notices: readonly Notice[];
  /** The whole answer, such as `options` of a 402. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(facts: AnswerFacts) {
    super(facts, facts.request_id === null ? '' : ` (status ${facts.status}, request ${facts.request_id})`);
    this.status = facts.status;
    this.request_id = facts.request_id;
    this.retryAfter = facts.retryAfter;
    this.fields = facts.fields;
    this.notices = facts.notices;
    this.body = facts.body;
  }
}

/** No answer of an Almanac server arrived: no connection, a deadline, or another server. */
export class ConnectionError extends AlmanacError {
  override readonly name: string = 'ConnectionError';
  /** Whether the same request can succeed a moment later. */
  readonly isTransient: boolean;

  constructor(facts: ErrorFacts, isTransient = false) {
    const short = isShort();
    super(short ? { ...facts, cause: undefined } : facts);
    this.isTransient = isTransient;
    if (!short) return;
    this.stack = `ConnectionError: ${this.message}`;
    // What `console.log` of Node shows.
    const shown = { value: () => this.stack, enumerable: false };
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), shown);
  }
}

/**
 * The message says everything about a server that does not answer. In Node, `NODE_DEBUG=almanac` also shows the stack and
 * the error of `fetch`. The developer tools of browsers fold stacks themselves.
 */
const isShort = (): boolean => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env !== undefined && !(process.env['NODE_DEBUG'] ?? '').split(',').includes('almanac');
};

/** A file could not be stored, or its bytes are not those of the export. */
export class FileError extends AlmanacError {
  override readonly name: string = 'FileError';
}

/** An export ended without a file. */
export class ExportError extends AlmanacError {
  override readonly name: string = 'ExportError';
}
