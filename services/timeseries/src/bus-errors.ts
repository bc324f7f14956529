import { DomainError } from '@almanac/contracts';
import { z } from 'zod';

/** A state that could not be asked for or appended is an outage, which a caller may try again; one that cannot be read is a fault of ours. */
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
