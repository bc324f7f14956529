import { type ClickHouse, type ClickHouseSettings, orUnavailable, type Query, rows } from '@almanac/clickhouse';
import type { z } from 'zod';

export interface QueryContext {
  readonly nowUs: number;
  readonly signal: AbortSignal;
}

/**
 * Each query reads little and many run concurrently, so each uses one thread. Dynamic top-k filtering prevents the
 * server from answering words by their index alone: `price` over 2 M markets takes 80 ms with it and 30 ms without. A
 * statement must see the same snapshot each time it reads a table; verified candidates depend on it. A page needs few of
 * the rows that match, so blocks are small: one of 65,409 rows from each part was most of what a frequent word cost.
 * Smaller ones than these make it slow to look through all rows of a word.
 */
const settings: ClickHouseSettings = {
  max_threads: 1,
  use_top_k_dynamic_filtering: 0,
  enable_shared_storage_snapshot_in_query: 1,
  max_block_size: '2048',
};

/** Reads the catalogue's tables. Throws `unavailable` if the server is at fault; a wrong query is internal. */
export const readRows = <Row extends z.ZodType>(clickhouse: ClickHouse, query: Query, row: Row) =>
  orUnavailable(
    rows<z.output<Row>>(clickhouse, { ...query, settings: { ...settings, ...query.settings } }, row),
    'catalogue',
  );
