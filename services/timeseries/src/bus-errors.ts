import { DomainError } from '@almanac/contracts';
import { z } from 'zod';

/** Reports a failed load or append as `unavailable`. An event that cannot be parsed is our fault and passes through. */
export const mapBusError = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (cause) {
    if (cause instanceof DomainError || cause instanceof z.ZodError || cause instanceof SyntaxError) throw cause;
    throw new DomainError('unavailable', 'The archive is temporarily unavailable. Try again in a few seconds.', {
      cause,
    });
  }
};
