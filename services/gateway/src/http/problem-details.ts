import { errorRecords } from '@almanac/contracts';
import Negotiator from 'negotiator';
import type { Fault } from '../validation/fault.js';
import { httpErrors } from './http-errors.js';

/** The media type of an error for clients that accept it (RFC 9457). */
export const problemType = 'application/problem+json';

/** Whether `Accept` names the media type. A wildcard gets the usual form of an error. */
export const acceptsProblem = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.toLowerCase().includes(problemType) &&
  new Negotiator({ headers: { accept } }).mediaType([problemType]) === problemType;

const meanings: Readonly<Record<string, { readonly meaning: string }>> = { ...errorRecords, ...httpErrors };

/** The body of an error with the members of RFC 9457, whose `detail` is always a text. */
export const problemDetailsOf = (
  status: number,
  { detail, code, ...rest }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const faults = Array.isArray(detail) ? (detail as readonly Fault[]) : undefined;
  const found = typeof code === 'string' ? meanings[code] : undefined;
  return {
    type: `/docs/errors/${String(code)}`,
    ...(found && { title: found.meaning }),
    status,
    detail: faults?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') ?? detail,
    ...(faults && { errors: faults }),
    code,
    ...rest,
  };
};
