import { z } from 'zod';
import { accountErrors } from './errors/account-errors.js';
import { exportErrors } from './errors/export-errors.js';
import { notFoundErrors } from './errors/not-found-errors.js';
import { requestErrors } from './errors/request-errors.js';
import { serverErrors } from './errors/server-errors.js';

/** Every error that may cross the bus. */
export const errorRecords = {
  ...requestErrors,
  ...notFoundErrors,
  ...exportErrors,
  ...accountErrors,
  ...serverErrors,
} as const;

export type ErrorCode = keyof typeof errorRecords;

const isErrorCode = (name: string): name is ErrorCode => Object.hasOwn(errorRecords, name);
export const errorCodes: readonly ErrorCode[] = Object.keys(errorRecords).filter(isErrorCode);

/** `detail` is a sentence for a person. `more` is data for the response body, such as `options` of a 402. */
export const errorReply = z.object({
  code: z.enum(errorCodes),
  detail: z.string(),
  more: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorReply = z.infer<typeof errorReply>;

/** An expected error with a code from the list and a sentence for API users. Its cause stays internal. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly options: { cause?: unknown; more?: Record<string, unknown> } = {},
  ) {
    super(`${code}: ${detail}`, 'cause' in options ? { cause: options.cause } : {});
  }

  get reply(): ErrorReply {
    const { more } = this.options;
    return { code: this.code, detail: this.detail, ...(more ? { more } : {}) };
  }
}

const nouns = {
  series_not_found: 'series',
  event_not_found: 'event',
  market_not_found: 'market',
  export_not_found: 'export',
  dataset_not_found: 'dataset',
  key_not_found: 'key',
  webhook_not_found: 'webhook',
} as const satisfies Partial<Record<ErrorCode, string>>;

export type NotFoundCode = keyof typeof nouns;

const shownMax = 80;

/**
 * The wording of "not found". It shows the requested id, cut if it is long. It never shows the id of an export or a
 * key, so that another account's entity and one that never existed get identical answers.
 */
export const notFound = (code: NotFoundCode, id: string): DomainError => {
  if (code === 'export_not_found' || code === 'key_not_found' || code === 'webhook_not_found') {
    const noun = nouns[code];
    return new DomainError(code, `This account has no ${noun} with this id. GET /api/v1/${noun}s lists its ${noun}s.`);
  }
  if (code === 'dataset_not_found') {
    return new DomainError(code, 'There is no dataset with this id. A ready export has its id in `dataset_id`.');
  }
  const shown = id.length > shownMax ? `${id.slice(0, shownMax)}…` : id;
  const detail = `The archive has no ${nouns[code]} ${shown.toWellFormed()}. Search with GET /api/v1/search.`;
  return new DomainError(code, detail);
};

/** The wording of an unexpected failure. It reveals nothing about the cause. */
export const internalError = (cause?: unknown): DomainError =>
  new DomainError('internal', errorRecords.internal.example.detail, cause === undefined ? {} : { cause });

/** The detail with its internal cause, for the operator's command lines. */
export const operatorSentence = ({ detail, options: { cause } }: DomainError): string =>
  cause instanceof Error ? `${detail} (${cause.message})` : detail;
