import { asOfMicros, DomainError } from '@almanac/contracts';
import type { z } from 'zod';
import type { Caller } from '../http/exchange.js';
import type { Given, Shapes } from '../validation/validate.js';

/** The part of a request with `as_of`. Undefined: the endpoint cannot answer as of a time. */
export type AsOfPart = 'query' | 'body' | undefined;

const hasAsOf = (schema: z.ZodObject | undefined): boolean => schema !== undefined && 'as_of' in schema.shape;

export const asOfPartOf = ({ query, body }: Shapes): AsOfPart =>
  hasAsOf(query) ? 'query' : hasAsOf(body) ? 'body' : undefined;

const fenced = (detail: string): DomainError => new DomainError('as_of_fenced', detail);

/** Refuses a key with a fence where no answer as of its time exists. Throws `as_of_fenced`. */
export const refuseFenced = ({ asOf }: Pick<Caller, 'asOf'>): void => {
  if (asOf === null) return;
  throw fenced(
    `This key reads the archive as of ${asOf}. This endpoint cannot answer as of a time. Use a key without as_of.`,
  );
};

/**
 * The request as its key may make it, with `as_of` to the microsecond, as services confirm it. With a fence, it is that of the
 * key, or earlier. Throws `as_of_fenced` for a later one, and where no answer as of a time exists.
 */
export const withinFence = <S extends Shapes>(given: Given<S>, part: AsOfPart, caller: Caller): Given<S> => {
  const { asOf } = caller;
  if (part === undefined) {
    refuseFenced(caller);
    return given;
  }
  const values: Readonly<Record<string, unknown>> = given[part];
  const requested = values['as_of'] ?? asOf;
  if (typeof requested !== 'number') return given;
  if (asOf !== null && requested > asOf)
    throw fenced(`This key reads the archive as of ${asOf}. Send that time or an earlier one.`);
  return { ...given, [part]: { ...values, as_of: asOfMicros(requested) / 1e6 } };
};
