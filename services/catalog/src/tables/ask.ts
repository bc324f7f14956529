import { ClickHouseError, type ClickHouse, type Query, rows } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';

/** TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, MEMORY_LIMIT_EXCEEDED, QUERY_WAS_CANCELLED: the server's state, not the query's. */
const overload = new Set(['159', '202', '241', '394']);

/** Rows of the catalogue's tables; a server that is away or overloaded is `unavailable`, a wrong query is our fault. */
export const ask = async <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  query: Query,
  row: Row,
): Promise<z.output<Row>[]> => {
  try {
    return await rows<z.output<Row>>(clickhouse, query, row);
  } catch (cause) {
    if (cause instanceof z.ZodError || (cause instanceof ClickHouseError && !overload.has(cause.code))) throw cause;
    throw new DomainError('unavailable', 'The catalogue cannot be read just now. Try again shortly.', { cause });
  }
};
