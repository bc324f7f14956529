import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { columns, type TableRows } from './rows.js';

/** Inserts rows of one of the catalogue's tables, into it or into one of the same form. */
export const insertRows = async (
  clickhouse: ClickHouse,
  rows: readonly object[],
  { of, into = of }: { of: keyof TableRows; into?: string },
): Promise<void> => {
  if (rows.length === 0) return;
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(clickhouse, { table: into, columns: columns[of], format: 'JSONEachRow', body });
};
