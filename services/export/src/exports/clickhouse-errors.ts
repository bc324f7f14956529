import { ClickHouseError, isServerError } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';

/** What ClickHouse answers to a caller who waits; where it does not, `unavailable`, unless the query is at fault. */
export const mapClickHouseError = async <T>(query: Promise<T>): Promise<T> => {
  try {
    return await query;
  } catch (cause) {
    const isOurs = cause instanceof z.ZodError || (cause instanceof ClickHouseError && !isServerError(cause));
    if (isOurs) throw cause;
    throw new DomainError('unavailable', 'The archive is temporarily unavailable. Try again in a few seconds.', {
      cause,
    });
  }
};
