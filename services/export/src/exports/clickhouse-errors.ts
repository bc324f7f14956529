import { ClickHouseError, isServerError } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';

/** Reports an outage of ClickHouse as `unavailable`. An error in the query itself passes through. */
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
