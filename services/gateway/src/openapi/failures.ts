import {
  datasetChanges,
  DomainError,
  type ErrorCode,
  errorCodes,
  type ErrorRecord,
  errorRecords,
  type ErrorText,
  paymentOptions,
} from '@almanac/contracts';
import { z } from 'zod';
import { type ErrorResponse, errorResponseOf } from '../http/error-response.js';
import { type HttpCode, httpCodes, httpErrors } from '../http/http-errors.js';
import { problem } from '../validation/problem.js';

export type Code = ErrorCode | HttpCode;

/** An error as the documentation shows it, with an example of its answer. */
export interface Failure extends ErrorText {
  readonly code: Code;
  readonly refusal: ErrorResponse;
  /** The schema of the body, if it has more fields than every error. */
  readonly body?: z.ZodType;
}

/** Of errors whose body has more fields than every error. */
const bodies: Readonly<Partial<Record<ErrorCode, z.ZodType>>> = {
  dataset_changed: problem
    .extend(datasetChanges)
    .meta({ id: 'DatasetChangedError', description: 'An error that lists what changed since a dataset was made.' }),
  payment_required: problem
    .extend({ options: paymentOptions })
    .meta({ id: 'PaymentRequiredError', description: 'An error that lists what you can buy.' }),
  export_pending_limit: problem
    .extend({
      pending_exports: z
        .array(z.string())
        .meta({
          description: 'Ids of up to 20 pending exports of the account, newest first. Only with `export_pending_limit`',
        })
        .optional(),
    })
    .meta({ id: 'LimitError', description: 'An error that names the pending exports.' }),
};

const textOf = ({ meaning, when, cause, remedy }: ErrorText): ErrorText => ({ meaning, when, cause, remedy });

const ofService = (code: ErrorCode): Failure => {
  const record: ErrorRecord = errorRecords[code];
  const { example } = record;
  const body = bodies[code];
  return {
    code,
    ...textOf(record),
    refusal: errorResponseOf(
      new DomainError(code, example.detail, example.more === undefined ? {} : { more: example.more }),
    ),
    ...(body && { body }),
  };
};

const ofGateway = (code: HttpCode): Failure => {
  const record = httpErrors[code];
  const { detail } = record.example;
  const headers = 'headers' in record.example ? record.example.headers : {};
  return { code, ...textOf(record), refusal: { status: record.status, headers, body: { detail, code } } };
};

/** All codes, in the order of their records. */
export const failures: readonly Failure[] = [...errorCodes.map(ofService), ...httpCodes.map(ofGateway)];

const byCode = new Map(failures.map((failure) => [failure.code, failure]));

export const failureOf = (code: Code): Failure => {
  const failure = byCode.get(code);
  if (failure === undefined) throw new TypeError(`${code} has no record`);
  return failure;
};

export const requestIdExample = '0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11';
