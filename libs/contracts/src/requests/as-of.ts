import { z } from 'zod';
import { DomainError } from '../errors.js';
import { microsOf } from './numbers.js';
import { timeBoundMax } from './time-bounds.js';

/** Adding it to the input of a contract promises that the answer shows nothing that was known later. */
export const asOf = z
  .number()
  .min(0)
  .max(timeBoundMax)
  .optional()
  .meta({
    description:
      'Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future',
    examples: [1771993500],
  });

/** The field of an answer that repeats the parameter. */
export const asOfEcho = {
  as_of: z
    .number()
    .meta({ description: '`as_of` of the request. Absent without it', examples: [1771993500] })
    .optional(),
};

/** The time that an answer is about. `asOfUs` is null if it is about now. */
export interface ReadTime {
  readonly nowUs: number;
  readonly asOfUs: number | null;
}

export const presentTime = (nowMs = Date.now()): ReadTime => ({ nowUs: nowMs * 1_000, asOfUs: null });

/** Microseconds of `as_of`. More digits than a time has are never a later time. */
export const asOfMicros = (seconds: number): number => {
  const us = microsOf(seconds);
  return us / 1e6 > seconds ? us - 1 : us;
};

/** The time of a request. With `as_of`, the clock stands there. Throws `as_of_in_future`. */
export const readTimeOf = (seconds: number | null | undefined, nowMs = Date.now()): ReadTime => {
  if (seconds === null || seconds === undefined) return presentTime(nowMs);
  const asOfUs = asOfMicros(seconds);
  if (asOfUs > nowMs * 1_000) {
    throw new DomainError('as_of_in_future', 'as_of is in the future. Send a time that has passed.');
  }
  return { nowUs: asOfUs, asOfUs };
};

/** The same in the metadata of a reply, as a confirmation to the gateway. */
export const asOfMeta = (asOfUs: number | null): { asOf?: number } =>
  asOfUs === null ? {} : { asOf: asOfUs / 1_000_000 };

/** The echo in an answer. */
export const asOfField = (asOfUs: number | null): { as_of?: number } =>
  asOfUs === null ? {} : { as_of: asOfUs / 1_000_000 };
